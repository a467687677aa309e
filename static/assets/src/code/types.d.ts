// Type definitions for palette 5.1

/// <reference lib="dom" />

export type Space = "rgb" | "hsl" | "lab";

export interface ReadOptions<TKey = string> {
    encoding?: BufferEncoding | null | undefined;
    strict?: boolean | undefined;
}

export namespace palette {
    export const MAX_COLORS: number;

    interface Entry extends Color {
        name: string;
        index: number;
    }

    class Palette extends events.EventEmitter {
        load(file: string, callback?: (err: Error | null, entries: Entry[]) => void): this;
        pick(...names: any[]): Entry;
        each<T>(fn: (entry: Entry, index: number) => T): T[];
    }
}

/**
 * Represents a color as red, green and blue.
 * See {@link https://example.org/docs/color} for more information.
 *
 * @example
 * const red = new Color(255, 0, 0);
 */
export class Color {
    readonly red: number;
    readonly alpha: number;

    /** Creates a new instance. Each value must be between 0 and 255, inclusive. */
    constructor(red: number, green: number, blue?: number, alpha?: number);

    static fromHex<const T extends string>(hex: T): T extends `#${infer U}` ? Color : never;
}

export function isColor(value: any): value is Color;
export function parse(input: string | Uint8Array, options: Omit<ReadOptions, "strict"> & { strict: true }): string[];
export * from "./space.js";
export { default as mixer, type Mixer } from "./mixer.js";

/* limits.mjs - the limits that a person is told of; format.md and codec/ are where they hold. */

/** Visible characters of a fragment. */
export const FRAGMENT = 8192;
/** Characters of what it decodes to. */
export const DECODED = 200_000;
/** Characters of a message in Discord, where most links are sent to. */
export const DISCORD_MESSAGE = 2000;

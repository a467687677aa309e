"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.tokenize = exports.isDigit = void 0;
const util_1 = require("./util");
function isDigit(ch) {
    return ch >= 48 && ch <= 57;
}
exports.isDigit = isDigit;
class Tokenizer {
    constructor(input, options) {
        this.input = input;
        this.start = 0;
        this.strict = options !== undefined && options !== null && options.strict === true;
    }
    get length() {
        return this.input.length;
    }
    next() {
        let i = this.start;
        const ch = this.input.charCodeAt(i);
        switch (ch) {
            case 0x22: // "
            case 0x27:
                return this.readString(i + 1);
            default:
                if (isDigit(ch))
                    break;
                throw new SyntaxError(`Unexpected character ${this.input[i]} at position ${i}`);
        }
        while (i < this.length && isDigit(this.input.charCodeAt(i))) {
            i += 1;
        }
        return { type: "number", value: Number(this.input.slice(this.start, i)) };
    }
}
exports.default = Tokenizer;
//# sourceMappingURL=index.js.map

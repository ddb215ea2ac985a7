// The engine in a page: `const engine = await tetrastatEngine(bytes)` from the bytes of engine.wasm, then
// `engine.call({rank: {piece: "T", board: "3fe:001"}})`. What can be asked stands in wasm/src/lib.rs.

(function (global) {
  "use strict";

  // A stop inside the engine leaves its memory unusable: the next call has a new one.
  class Engine {
    constructor(module) {
      this.module = module;
      this.exports = null;
    }

    // Answers a request at once; throws an Error whose message says what is wrong with it.
    call(request) {
      const answer = JSON.parse(this.answer(JSON.stringify(request)));
      if (answer.error !== undefined) {
        throw new Error(answer.error);
      }
      return answer;
    }

    // The text of an answer from the text of a request.
    answer(text) {
      const request = new TextEncoder().encode(text);
      try {
        this.exports ??= new WebAssembly.Instance(this.module, {}).exports;
        const { memory } = this.exports;
        // The memory may be moved by any call, so that it is looked at anew after each.
        const at = this.exports.request(request.length);
        // Without room nothing is written, and the call says so.
        if (at !== 0) new Uint8Array(memory.buffer, at, request.length).set(request);
        const length = this.exports.call();
        return new TextDecoder().decode(
          new Uint8Array(memory.buffer, this.exports.answer(), length),
        );
      } catch (error) {
        this.exports = null;
        throw new Error(`the engine stopped at this request: ${error.message}`);
      }
    }
  }

  // From the bytes of engine.wasm: an ArrayBuffer or a Uint8Array.
  global.tetrastatEngine = async function (bytes) {
    return new Engine(await WebAssembly.compile(bytes));
  };
})(globalThis);

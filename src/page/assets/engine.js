// The engine in a page: `const engine = await tetrastatEngine(bytes)` with the bytes of engine.wasm,
// then `engine.call({rank: {piece: "T", board: "3fe:001"}})`. wasm/src/lib.rs lists the requests.

(function (global) {
  "use strict";

  // An abort inside the engine leaves its memory unusable, so the next call creates a new instance.
  class Engine {
    constructor(module) {
      this.module = module;
      this.exports = null;
    }

    // Answers a request at once. Throws an Error whose message names the problem of the request.
    call(request) {
      const answer = JSON.parse(this.answer(JSON.stringify(request)));
      if (answer.error !== undefined) {
        throw new Error(answer.error);
      }
      return answer;
    }

    // Returns the answer to a request, both as JSON text.
    answer(text) {
      const request = new TextEncoder().encode(text);
      try {
        this.exports ??= new WebAssembly.Instance(this.module, {}).exports;
        const { memory } = this.exports;
        // Any call may move the memory, so `memory.buffer` is read again after each call.
        const at = this.exports.request(request.length);
        // If the engine has no room for the request, `call` reports that.
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

  // Creates an engine from the bytes of engine.wasm: an ArrayBuffer or a Uint8Array.
  global.tetrastatEngine = async function (bytes) {
    return new Engine(await WebAssembly.compile(bytes));
  };
})(globalThis);

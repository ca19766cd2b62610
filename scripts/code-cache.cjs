// Preloaded by the build: writes V8's code cache of the script that start.cjs ran, when it has done its work.
const { writeFileSync } = require("node:fs");
const v8 = require("node:v8");
const vm = require("node:vm");

vm.Script = class extends vm.Script {
  constructor(...given) {
    super(...given);
    process.once("exit", () => {
      // The build runs with fixed seeds; V8 refuses a cache that was made with other flags than it runs with.
      v8.setFlagsFromString("--hash-seed=0");
      v8.setFlagsFromString("--random-seed=0");
      writeFileSync(process.env.PLIMSOLL_CODE_CACHE, this.createCachedData());
    });
  }
};

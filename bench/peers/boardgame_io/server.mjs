// boardgame.io's server with tic-tac-toe, as its documentation sets it up: `node server.mjs <port> [<folder of FlatFile>]`.
//
// koa-compose is pinned to 4.1.0, because 4.2.0 finds no route of the lobby, and node-persist to 3.1.0, because later
// versions write once a second. `run` binds a single address only if the port is given as options of `listen`.

import { createRequire } from "node:module";

const require = createRequire(`${process.cwd()}/`);
const { FlatFile, Server } = require("boardgame.io/server");
const { INVALID_MOVE } = require("boardgame.io/core");

const LINES = ["012", "345", "678", "036", "147", "258", "048", "246"].map((line) => [...line].map(Number));

const ticTacToe = {
  name: "tic-tac-toe",
  setup: () => ({ cells: new Array(9).fill(null) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    mark({ G, playerID }, cell) {
      if (G.cells[cell] !== null) return INVALID_MOVE;
      G.cells[cell] = playerID;
    },
  },
  endIf({ G, ctx }) {
    const owners = LINES.map(([a, b, c]) => G.cells[a] !== null && G.cells[a] === G.cells[b] && G.cells[b] === G.cells[c]);
    if (owners.includes(true)) return { winner: ctx.currentPlayer };
    if (!G.cells.includes(null)) return { draw: true };
  },
};

const [port, folder] = process.argv.slice(2);
console.log = console.info = () => {};
const storage = folder ? { db: new FlatFile({ dir: folder }) } : {};
await Server({ games: [ticTacToe], origins: ["*"], ...storage }).run({ port: { port: Number(port), host: "127.0.0.1" } });
process.stdout.write("ready\n");

// Plays many parallel matches of tic-tac-toe on either server, with the same script: `node play.mjs`.
//
// Each line on standard input is a task, {"service", "port", "lanes", "games", "seed"}: `lanes` parallel matches, `games`
// one after the other in each. It first creates all matches and connects all watchers, prints "ready", and waits for a
// line. A player moves after the server has pushed the other player's move. The latency ends when the OTHER player has
// the update. It talks to both servers over bare sockets, so that this process costs as little as possible.

import { request } from "node:http";
import { connect } from "node:net";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const WebSocket = createRequire(`${process.cwd()}/`)("ws");
const HOST = "127.0.0.1";
const LONGEST_WAIT = 60_000;

// Set-up uses a connection for each request, so that none is closed unexpectedly.
function post(port, path, body, token) {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  return new Promise((done, failed) => {
    const asked = request({ host: HOST, port, path, method: "POST", headers, agent: false }, async (answer) => {
      let text = "";
      for await (const part of answer) text += part;
      if (answer.statusCode < 300) done(JSON.parse(text));
      else failed(new Error(`${path}: ${answer.statusCode} ${text}`));
    });
    asked.on("error", failed);
    asked.end(JSON.stringify(body));
  });
}

// -- boardgame.io: one websocket for each player, frames of socket.io ------------------------------------------------

const NAMESPACE = "/tic-tac-toe";

class BoardgameIo {
  constructor(port) {
    this.port = port;
  }

  async match(seen) {
    const { matchID } = await post(this.port, `/games${NAMESPACE}/create`, { numPlayers: 2 });
    const players = [];
    for (const seat of ["0", "1"]) {
      const wish = { playerID: seat, playerName: `player ${seat}` };
      const { playerCredentials } = await post(this.port, `/games${NAMESPACE}/${matchID}/join`, wish);
      players.push(playerCredentials);
    }
    const match = new BoardgameIoMatch(matchID, players, seen);
    await Promise.all([0, 1].map((seat) => match.sit(this.port, seat)));
    return match;
  }
}

class BoardgameIoMatch {
  constructor(id, credentials, seen) {
    Object.assign(this, { id, credentials, seen, sockets: [], state: 0 });
  }

  sit(port, seat) {
    const socket = new WebSocket(`ws://${HOST}:${port}/socket.io/?EIO=4&transport=websocket`);
    this.sockets[seat] = socket;
    return new Promise((ready) => {
      socket.on("message", (data) => {
        const text = data.toString();
        if (text === "2") socket.send("3"); // a ping
        else if (text[0] === "0") socket.send(`40${NAMESPACE},`);
        else if (text.startsWith("40")) this.emit(seat, ["sync", this.id, String(seat), this.credentials[seat], 2]);
        else if (text.startsWith("42")) this.hear(seat, JSON.parse(text.slice(text.indexOf(",") + 1)), ready);
      });
    });
  }

  hear(seat, [what, , state], ready) {
    if (what === "sync") ready();
    if (what !== "update") return;
    this.seen(seat, state._stateID, state.G.cells.map((owner) => owner !== null), state.ctx.gameover !== undefined);
  }

  move(seat, cell, ply) {
    const [playerID, credentials] = [String(seat), this.credentials[seat]];
    const payload = { type: "mark", args: [cell], playerID, credentials };
    this.emit(seat, ["update", { type: "MAKE_MOVE", payload }, ply, this.id, playerID]);
  }

  emit(seat, message) {
    this.sockets[seat].send(`42${NAMESPACE},${JSON.stringify(message)}`);
  }

  close() {
    for (const socket of this.sockets) socket.terminate();
  }
}

// -- Crumbtrail: for each player one live stream (JSON lines) and one connection for moves --------------------------

class Crumbtrail {
  constructor(port) {
    this.port = port;
    this.idle = [];
  }

  async match(seen) {
    const players = this.idle.pop() ?? (await this.newPlayers());
    const wish = { game: "tic_tac_toe", seats: [{ kind: "me" }, { kind: "open" }] };
    const { match } = await post(this.port, "/api/v1/matches", wish, players[0].token);
    await post(this.port, `/api/v1/matches/${match.id}/seats/1`, {}, players[1].token);
    const made = new CrumbtrailMatch(match.id, players, seen, () => this.idle.push(players));
    await Promise.all([0, 1].map((seat) => made.watch(this.port, seat)));
    return made;
  }

  async newPlayers() {
    const players = [];
    for (const name of ["Ann", "Bob"]) players.push(new Mover(this.port, (await post(this.port, "/api/v1/players", { name })).token));
    return players;
  }
}

// One player's connection for moves. The server closes it after some idle seconds; the next move opens a new one.
class Mover {
  constructor(port, token) {
    Object.assign(this, { port, token, socket: null, asked: "", next: "" });
  }

  // The other's update may arrive before the answer to our last move. Then this move waits, and its clock runs.
  send(request) {
    if (this.asked) {
      this.next = request;
      return;
    }
    this.asked = request;
    if (!this.socket) this.socket = this.connected();
    if (!this.socket.destroyed) this.socket.write(request); // otherwise it is sent after the close event
  }

  connected() {
    const socket = connect(this.port, HOST).setNoDelay(true);
    socket.on("data", (data) => {
      const answer = data.toString("latin1").match(/HTTP\/1\.1 (\d+)[^]*/);
      if (!answer) return; // more of the previous answer
      if (answer[1] !== "201") fail(answer[0]);
      this.answered();
    });
    socket.on("error", () => socket.destroy());
    socket.on("end", () => socket.destroy());
    socket.on("close", () => {
      this.socket = null;
      const request = this.asked;
      this.asked = "";
      if (request) this.send(request);
    });
    return socket;
  }

  answered() {
    const request = this.next;
    this.asked = this.next = "";
    if (request) this.send(request);
  }
}

const KINDS = ["cell_marked", "game_ended"];

class CrumbtrailMatch {
  constructor(id, players, seen, done) {
    Object.assign(this, { id, players, seen, done, streams: [], cells: [null, null], plies: [0, 0] });
    this.cells = [0, 1].map(() => new Array(9).fill(false));
  }

  watch(port, seat) {
    const stream = connect(port, HOST);
    this.streams[seat] = stream;
    stream.write(
      `GET /api/v1/matches/${this.id}/stream HTTP/1.1\r\nHost: bench\r\nAccept: application/x-ndjson\r\n` +
        `Authorization: Bearer ${this.players[seat].token}\r\n\r\n`,
    );
    return new Promise((ready) => {
      const events = new Chunks((line) => this.hear(seat, JSON.parse(line), ready));
      stream.on("data", (data) => events.take(data));
    });
  }

  hear(seat, event, ready) {
    if (event.ply !== this.plies[seat] + 1) fail(`ply ${event.ply} came behind ${this.plies[seat]}`);
    this.plies[seat] = event.ply;
    if (event.kind === "started") ready();
    if (event.kind !== "moved") return;
    const cells = this.cells[seat];
    for (const fact of event.facts) if (fact.type === KINDS[0]) cells[fact.cell] = true;
    const marks = cells.filter(Boolean).length;
    this.seen(seat, marks, cells, event.facts.some((fact) => fact.type === KINDS[1]));
  }

  move(seat, cell) {
    const body = `{"type":"mark","cell":${cell}}`;
    const { token } = this.players[seat];
    this.players[seat].send(
      `POST /api/v1/matches/${this.id}/moves HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n` +
        `Authorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  }

  close() {
    for (const stream of this.streams) stream.destroy();
    this.done();
  }
}

// The lines of a chunked answer. Each of our chunks ends with a line.
class Chunks {
  constructor(line) {
    Object.assign(this, { line, rest: "" });
  }

  take(data) {
    const text = this.rest + data.toString("utf8");
    const end = text.lastIndexOf("\n") + 1;
    this.rest = text.slice(end);
    for (const line of text.slice(0, end).split("\n")) {
      if (line.startsWith("HTTP/1.1 ") && !line.startsWith("HTTP/1.1 200")) fail(line);
      if (line.startsWith("{")) this.line(line);
    }
  }
}

// -- the same game on both -----------------------------------------------------------------------------------------

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

// The same seed always gives the same numbers, so both services get the same matches.
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function newLane(random, latencies) {
  const lane = { matches: [], at: 0, over: null };
  lane.seat = (match) => {
    let [sent, mover, marks] = [0, 0, 0];
    const move = (cells) => {
      const free = [...cells.keys()].filter((cell) => !cells[cell]);
      sent = performance.now();
      match().move(mover, free[random(free.length)], marks);
    };
    const seen = (seat, ply, cells, over) => {
      if (seat === mover || ply <= marks) return; // only the first update of the waiting player counts
      latencies.push(performance.now() - sent);
      if (ply !== marks + 1) fail(`update ${ply} came behind ${marks}`);
      marks = ply;
      if (over) return lane.next();
      mover = seat;
      move(cells);
    };
    return { seen, begin: () => move(new Array(9).fill(false)) };
  };
  lane.next = () => {
    lane.matches[lane.at].match.close();
    lane.at += 1;
    if (lane.at < lane.matches.length) lane.matches[lane.at].begin();
    else lane.over();
  };
  return lane;
}

async function prepare(service, task, latencies) {
  const random = numbers(task.seed);
  const lanes = [];
  for (let number = 0; number < task.lanes; number++) lanes.push(newLane(numbers(random(2 ** 32)), latencies));
  await Promise.all(
    lanes.map(async (lane) => {
      for (let game = 0; game < task.games; game++) {
        const place = { match: null };
        const { seen, begin } = lane.seat(() => place.match);
        place.match = await service.match(seen);
        lane.matches.push({ match: place.match, begin });
      }
    }),
  );
  return lanes;
}

async function play(lanes) {
  await Promise.all(
    lanes.map(
      (lane) =>
        new Promise((over) => {
          lane.over = over;
          lane.matches[0].begin();
        }),
    ),
  );
}

const SERVICES = { "boardgame.io": BoardgameIo, crumbtrail: Crumbtrail };
const services = new Map();
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

for (let line = await lines.next(); !line.done; line = await lines.next()) {
  const task = JSON.parse(line.value);
  if (!services.has(task.port)) services.set(task.port, new SERVICES[task.service](task.port));
  const latencies = [];
  const lanes = await prepare(services.get(task.port), task, latencies);
  process.stdout.write("ready\n");
  await lines.next();
  const hangs = setTimeout(() => fail(`after ${latencies.length} moves nothing came for too long`), LONGEST_WAIT);
  const [cpu, begin] = [process.cpuUsage(), performance.now()];
  await play(lanes);
  const [seconds, spent] = [(performance.now() - begin) / 1000, process.cpuUsage(cpu)];
  clearTimeout(hangs);
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor(latencies.length * share)];
  const found = { moves: latencies.length, seconds, p50: at(0.5), p99: at(0.99), driver: (spent.user + spent.system) / 1e6 };
  process.stdout.write(`${JSON.stringify(found)}\n`);
}

// How much a slower search would win against the greedy player in Mice Cake (plain rules), and what the look one round
// ahead wins without one. A model of rules, greedy player and look ahead that plays a match in some microseconds;
// tests/benchmarks/caps/test_caps.py holds it to the package.
//
//   c++ -O3 -std=c++17 -o mice_cake mice_cake.cpp
//   ./mice_cake greedy MATCHES SEED            greedy against greedy
//   ./mice_cake ahead MATCHES SEED             the look ahead against greedy
//   ./mice_cake search MATCHES SEED ITERATIONS DOMINOES [ahead]
//
// `search` thinks when so many dominoes or fewer are left (28: always). Its rollouts are greedy, or with `ahead` look
// ahead for the own seat. It prints the share of its matches, and its gain: at every decision the chosen move and the
// look ahead's own are played to the end in 1500 further worlds, and the differences are summed over the match. With
// the share of `ahead` that is the share of the search, and it strays ten times less than results do.

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

constexpr int PIECES = 28, COLUMNS = 4, ROWS = 7, MICE = 4, OUTCOMES = 1296, QUIET_END = 20, NONE = -1, BLANK = 0;
constexpr int CANDIDATES = 6, JUDGED_BY = 1500, LEAST_PAIRS = 8;
constexpr double PROOF = 0.5;
using Weight = int64_t;
using Counts = std::array<int, COLUMNS>;
using Luck = std::mt19937_64;

int below(Luck& luck, int n) { return int((luck() >> 32) * uint64_t(n) >> 32); }

// -- dominoes and odds: in table order, 0 is the 0-0 -----------------------------------------------------------------

struct Piece {
    int low, high;
    int pips() const { return low + high; }
    bool half() const { return low == 0 && high > 0; }
    bool twin() const { return low == high; }
    int tires() const { return half() ? 1 : 2; }
    bool matched(const Counts& dice, int mice) const {
        auto shown = [&](int face) { return std::count(dice.begin(), dice.begin() + mice, face); };
        if (high == 0) return false;
        if (half()) return shown(high) > 0;
        return twin() ? shown(low) >= 2 : shown(low) && shown(high);
    }
};

std::vector<Piece> all_pieces() {
    std::vector<Piece> found;
    for (int low = 0; low <= 6; low++)
        for (int high = low; high <= 6; high++) found.push_back({low, high});
    return found;
}

const std::vector<Piece> DOMINO = all_pieces();
const int DOUBLE_SIX = PIECES - 1;

struct Odds {  // of a group of 0 to 4 mice, in outcomes of 1296; rolls: the total of each outcome, -1 where exhausted
    int take = 0, tire = 0;
    std::array<int, 25> totals{};
    std::array<int8_t, OUTCOMES> rolls{};
};
Odds ODDS[PIECES][MICE + 1];
Weight WON[PIECES][MICE + 1][MICE + 1];      // outcomes of 1296 x 1296 in which the first group wins a contest
Weight FRONT[PIECES][MICE + 1], STEAL[PIECES][MICE + 1], CONTEST[PIECES][MICE + 1][MICE + 1];
std::vector<Counts> SPREADS[MICE + 1][1 << COLUMNS];

Weight wins(const Odds& group, const Odds& rival, int floor) {
    Weight beaten = OUTCOMES, won = 0;
    for (int total = floor; total < 25; total++) beaten -= rival.totals[total];
    for (int total = floor; total < 25; beaten += rival.totals[total++]) won += group.totals[total] * beaten;
    return won;
}

void prepare() {
    for (int p = 0; p < PIECES; p++)
        for (int mice = 1; mice <= MICE; mice++) {
            Odds& odds = ODDS[p][mice];
            for (int n = 0; n < OUTCOMES; n++) {
                Counts dice{n % 6 + 1, n / 6 % 6 + 1, n / 36 % 6 + 1, n / 216 + 1};
                int total = 0;
                for (int k = 0; k < mice; k++) total += dice[k];
                bool tired = DOMINO[p].matched(dice, mice);
                odds.rolls[n] = int8_t(tired ? -1 : total);
                odds.tire += tired;
                odds.totals[total] += !tired;
                odds.take += !tired && total >= DOMINO[p].pips();
            }
            auto weight = [&](int worth) { return Weight(odds.take * worth - odds.tire * DOMINO[p].tires() * 2) * OUTCOMES; };
            FRONT[p][mice] = p == BLANK ? 0 : weight(DOMINO[p].pips() + 2);
            STEAL[p][mice] = weight(2 * DOMINO[p].pips() + 2);
        }
    for (int p = 1; p < PIECES; p++)
        for (int mine = 0; mine <= MICE; mine++)
            for (int theirs = 0; theirs <= MICE; theirs++) {
                const Odds &own = ODDS[p][mine], &rival = ODDS[p][theirs];
                int pips = DOMINO[p].pips();
                WON[p][mine][theirs] = !mine ? 0 : theirs ? wins(own, rival, pips) : Weight(own.take) * OUTCOMES;
                Weight lost = !theirs ? 0 : mine ? wins(rival, own, pips) : Weight(rival.take) * OUTCOMES;
                CONTEST[p][mine][theirs] =
                    (WON[p][mine][theirs] - lost) * (pips + 2) - Weight(own.tire) * DOMINO[p].tires() * 2 * OUTCOMES;
            }
    for (int mice = 1; mice <= MICE; mice++)
        for (int open = 1; open < 1 << COLUMNS; open++)
            for (int code = 0; code < 625; code++) {
                Counts spread{code / 125, code / 25 % 5, code / 5 % 5, code % 5};
                int sum = 0, used = 0;
                for (int c = 0; c < COLUMNS; c++) sum += spread[c], used |= spread[c] ? 1 << c : 0;
                if (sum == mice && !(used & ~open)) SPREADS[mice][open].push_back(spread);
            }
}

// -- the match ------------------------------------------------------------------------------------------------------

struct Sent {
    Counts mice{};
    int target = NONE;
};

struct State {
    int8_t cell[COLUMNS][ROWS];
    bool up[COLUMNS][ROWS];
    int8_t first[COLUMNS], end[COLUMNS];  // what is left of a column: seat 0 takes from `first`, seat 1 before `end`
    std::bitset<PIECES> stash[2];
    int resting[2] = {0, 0};
    int quiet = 0, rounds = 0;

    int length(int c) const { return end[c] - first[c]; }
    int left() const { return length(0) + length(1) + length(2) + length(3); }
    bool over() const { return !left() || quiet == QUIET_END; }
    int front(int seat, int c) const { return !length(c) ? NONE : cell[c][seat ? end[c] - 1 : first[c]]; }
    int ready(int seat) const { return MICE - resting[seat]; }
    int open(int seat) const {
        int found = 0;
        for (int c = 0; c < COLUMNS; c++)
            if (front(seat, c) > BLANK || (front(seat, c) == BLANK && stash[1 - seat].any())) found |= 1 << c;
        return found;
    }
    int margin(int seat) const {
        int sum = 0;
        for (int p = 0; p < PIECES; p++) sum += DOMINO[p].pips() * (stash[seat][p] - stash[1 - seat][p]);
        return sum;
    }
    double share(int seat) const {
        int by = margin(seat);
        if (!by) by = int(stash[seat].count()) - int(stash[1 - seat].count());
        if (!by) by = stash[seat][DOUBLE_SIX] - stash[1 - seat][DOUBLE_SIX];
        return by > 0 ? 1 : by < 0 ? 0 : 0.5;
    }
    void take(int seat, int c) {
        seat ? end[c]-- : first[c]++;
        if (length(c)) up[c][seat ? end[c] - 1 : first[c]] = true;
    }
};

State deal(Luck& luck) {
    State state;
    std::array<int8_t, PIECES> pack;
    for (int n = 0; n < PIECES; n++) pack[n] = int8_t(n);
    for (int n = PIECES - 1; n > 0; n--) std::swap(pack[n], pack[below(luck, n + 1)]);
    for (int n = 0; n < PIECES; n++) state.cell[n % 4][n / 4] = pack[n], state.up[n % 4][n / 4] = n / 4 % 2 == 0;
    for (int c = 0; c < COLUMNS; c++) state.first[c] = 0, state.end[c] = ROWS;
    return state;
}

void shuffle_hidden(State& state, Luck& luck) {
    std::vector<int8_t*> hidden;
    for (int c = 0; c < COLUMNS; c++)
        for (int row = state.first[c]; row < state.end[c]; row++)
            if (!state.up[c][row]) hidden.push_back(&state.cell[c][row]);
    for (int n = int(hidden.size()) - 1; n > 0; n--) std::swap(*hidden[n], *hidden[below(luck, n + 1)]);
}

void play_round(State& state, const std::array<Sent, 2>& sent, Luck& luck) {
    int before = state.left();
    int tired[2] = {0, 0};
    for (int c = 0; c < COLUMNS; c++) {
        bool last = state.length(c) == 1;
        int front[2], goal[2], total[2] = {-1, -1};
        for (int seat : {0, 1}) {
            front[seat] = state.front(seat, c);
            goal[seat] = front[seat] == BLANK ? sent[seat].target : front[seat];
            if (!sent[seat].mice[c]) continue;
            int roll = ODDS[goal[seat]][sent[seat].mice[c]].rolls[below(luck, OUTCOMES)];
            if (roll < 0) tired[seat] += DOMINO[goal[seat]].tires();
            if (roll >= DOMINO[goal[seat]].pips()) total[seat] = roll;
        }
        bool both = last && total[0] >= 0 && total[1] >= 0;
        if (both && front[0] == BLANK) {  // two thieves swap, and the 0-0 leaves the game
            state.take(0, c);
            for (int seat : {0, 1}) state.stash[1 - seat].reset(goal[seat]);
            for (int seat : {0, 1}) state.stash[seat].set(goal[seat]);
            continue;
        }
        if (both && total[0] == total[1]) continue;
        if (both) total[total[0] > total[1]] = -1;
        for (int seat : {0, 1}) {
            if (total[seat] < 0) continue;
            state.take(seat, c);
            state.stash[seat].set(front[seat]);
            if (goal[seat] != front[seat]) state.stash[1 - seat].reset(goal[seat]), state.stash[seat].set(goal[seat]);
        }
    }
    for (int seat : {0, 1}) state.resting[seat] = tired[seat];
    state.quiet = state.left() == before ? state.quiet + 1 : 0;
    state.rounds++;
}

// -- the greedy player ----------------------------------------------------------------------------------------------

int juiciest(const State& state, int seat, int mice) {
    int best = NONE;
    for (int p = 1; p < PIECES; p++)
        if (state.stash[1 - seat][p] && (best == NONE || STEAL[p][mice] > STEAL[best][mice])) best = p;
    return best;
}

bool contested(const State& state, int c) { return state.length(c) == 1 && state.front(0, c) != BLANK; }

int target_of(const State& state, int seat, const Counts& mice) {
    for (int c = 0; c < COLUMNS; c++)
        if (mice[c] && state.front(seat, c) == BLANK) return juiciest(state, seat, mice[c]);
    return NONE;
}

Sent heaviest(const State& state, int seat, const Counts& feared, Luck& luck) {
    Sent chosen;
    int open = state.open(seat);
    if (!state.ready(seat) || !open) return chosen;
    Weight weights[COLUMNS][MICE + 1] = {};
    for (int c = 0; c < COLUMNS; c++) {
        int front = state.front(seat, c);
        for (int mice = 0; mice <= MICE && front != NONE && open >> c & 1; mice++) {
            if (feared[c] && contested(state, c)) weights[c][mice] = CONTEST[front][mice][feared[c]];
            else if (mice) weights[c][mice] = front == BLANK ? STEAL[juiciest(state, seat, mice)][mice] : FRONT[front][mice];
        }
    }
    Weight most = INT64_MIN;
    int ties = 0;
    for (const Counts& mice : SPREADS[state.ready(seat)][open]) {
        Weight weight = 0;
        for (int c = 0; c < COLUMNS; c++) weight += weights[c][mice[c]];
        if (weight > most) most = weight, ties = 0;
        if (weight == most && below(luck, ++ties) == 0) chosen.mice = mice;
    }
    chosen.target = target_of(state, seat, chosen.mice);
    return chosen;
}

Sent greedy(const State& state, int seat, Luck& luck) {
    bool any = false;
    for (int c = 0; c < COLUMNS; c++) any |= contested(state, c);
    return heaviest(state, seat, any ? heaviest(state, 1 - seat, {}, luck).mice : Counts{}, luck);
}

// -- the look ahead -------------------------------------------------------------------------------------------------

double front_worth(int p) {
    if (p == BLANK) return 9.0;
    if (DOMINO[p].half()) return -1.8;
    return DOMINO[p].twin() ? 0.5 : 0.5 - 0.4 * std::max(0, DOMINO[p].pips() - 7);
}

class Ahead {
public:
    Ahead(const State& state, int seat, Luck& luck) : state(state), seat(seat), rival(greedy(state, 1 - seat, luck)) {
        int hidden = 0;
        for (int c = 0; c < COLUMNS; c++)
            for (int row = state.first[c]; row < state.end[c]; row++)
                if (!state.up[c][row]) unseen += front_worth(state.cell[c][row]), hidden++;
        unseen /= std::max(1, hidden);
        for (int c = 0; c < COLUMNS; c++)
            for (int mice = 0; mice <= MICE; mice++) worth[c][mice] = state.length(c) ? expected(c, mice) : 0;
    }
    double of(const Counts& mice) const {
        double sum = 0;
        for (int c = 0; c < COLUMNS; c++) sum += worth[c][mice[c]];
        return sum;
    }

private:
    const State& state;
    int seat;
    Sent rival;
    double unseen = 0;
    double worth[COLUMNS][MICE + 1];

    double expected(int c, int mice) const {
        int front = state.front(seat, c), theirs = rival.mice[c], square = OUTCOMES * OUTCOMES;
        int goal = front == BLANK ? juiciest(state, seat, mice) : front;
        if (goal == NONE) goal = BLANK, mice = 0;
        int pips = DOMINO[goal].pips();
        double cost = 1.5 * ODDS[goal][mice].tire / OUTCOMES * DOMINO[goal].tires();
        if (contested(state, c)) return double(pips) * (WON[front][mice][theirs] - WON[front][theirs][mice]) / square - cost;
        int wanted = state.front(1 - seat, c) == BLANK ? rival.target : state.front(1 - seat, c);
        double lose = theirs ? double(ODDS[wanted][theirs].take) / OUTCOMES : 0;
        double take = mice ? double(ODDS[goal][mice].take) / OUTCOMES : 0;
        double kept = (1 - lose) * column(c, 0, 0) + lose * column(c, 0, 1);
        double taken = (1 - lose) * column(c, 1, 0) + lose * column(c, 1, 1);
        return take * ((front == BLANK ? 2 : 1) * pips + taken) + (1 - take) * kept - cost;
    }
    double column(int c, int mine, int theirs) const {
        int first = state.first[c] + (seat ? theirs : mine), last = state.end[c] - 1 - (seat ? mine : theirs);
        if (last <= first) return 0;
        double low = side(c, first, first + 1, last - first + 1), high = side(c, last, last - 1, last - first + 1);
        return seat ? high - low : low - high;
    }
    double side(int c, int front, int behind, int left) const {
        double found = state.up[c][front] ? front_worth(state.cell[c][front]) : unseen;
        if (!state.up[c][behind]) return found + 0.5;
        int p = state.cell[c][behind];
        return found + (p != BLANK ? 0.065 * DOMINO[p].pips() : left >= 5 ? 8 : left == 4 ? 4 : 0);
    }
};

std::vector<Sent> best_ahead(const State& state, int seat, int most, Luck& luck) {
    Ahead ahead(state, seat, luck);
    std::vector<std::pair<double, Sent>> found;
    for (const Counts& mice : SPREADS[state.ready(seat)][state.open(seat)])
        found.push_back({-ahead.of(mice), {mice, target_of(state, seat, mice)}});
    size_t count = std::min(size_t(most), found.size());
    auto lighter = [](const auto& one, const auto& two) { return one.first < two.first; };
    std::partial_sort(found.begin(), found.begin() + count, found.end(), lighter);
    std::vector<Sent> best;
    for (size_t n = 0; n < count; n++) best.push_back(found[n].second);
    if (best.empty()) best.push_back({});
    return best;
}

Sent look_ahead(const State& state, int seat, Luck& luck) { return best_ahead(state, seat, 1, luck)[0]; }

// -- the search -----------------------------------------------------------------------------------------------------

using Player = Sent (*)(const State&, int, Luck&);

double rollout(State state, int seat, const Sent& move, Player player, uint64_t seed) {
    Luck luck(seed);
    shuffle_hidden(state, luck);
    std::array<Sent, 2> sent;
    sent[seat] = move, sent[1 - seat] = greedy(state, 1 - seat, luck);
    play_round(state, sent, luck);
    while (!state.over()) {
        sent[seat] = player(state, seat, luck), sent[1 - seat] = greedy(state, 1 - seat, luck);
        play_round(state, sent, luck);
    }
    return state.share(seat);
}

double mean(const std::vector<double>& found) {
    double sum = 0;
    for (double each : found) sum += each;
    return sum / std::max<size_t>(1, found.size());
}

// Which candidate to play: halving, and proof of being better than the first, as workers/bots/search.py has them.
size_t search(const State& state, int seat, const std::vector<Sent>& moves, int iterations, Player player, Luck& luck) {
    std::vector<std::vector<double>> found(moves.size());
    std::vector<size_t> alive(moves.size());
    for (size_t n = 0; n < moves.size(); n++) alive[n] = n;
    uint64_t seed = luck();
    int halvings = int(std::ceil(std::log2(moves.size()))), done = 0;
    for (int halving = 0; halving < halvings; halving++) {
        int visits = std::max(1, (iterations - done) / (halvings - halving) / int(alive.size()));
        for (int visit = 0; visit < visits; visit++)
            for (size_t n : alive) found[n].push_back(rollout(state, seat, moves[n], player, seed + found[n].size())), done++;
        std::sort(alive.begin() + 1, alive.end(), [&](size_t a, size_t b) { return mean(found[a]) > mean(found[b]); });
        alive.resize(1 + std::max<size_t>(1, (alive.size() + 1) / 2 - 1));
    }
    size_t best = 0;
    double most = 0;
    for (size_t n : alive) {
        size_t pairs = std::min(found[n].size(), found[0].size());
        if (!n || pairs < LEAST_PAIRS) continue;
        double sum = 0, squares = 0;
        for (size_t k = 0; k < pairs; k++) {
            double by = found[n][k] - found[0][k];
            sum += by, squares += by * by;
        }
        double by = sum / pairs, variance = (squares - pairs * by * by) / (pairs - 1);
        double margin = by - PROOF * std::sqrt(variance / pairs);
        if (margin > most) most = margin, best = n;
    }
    return best;
}

double gain_of(const State& state, int seat, const Sent& chosen, const Sent& first, Luck& luck) {
    uint64_t seed = luck();
    double sum = 0;
    for (int n = 0; n < JUDGED_BY; n++)
        sum += rollout(state, seat, chosen, look_ahead, seed + n) - rollout(state, seat, first, look_ahead, seed + n);
    return sum / JUDGED_BY;
}

// -- series of matches ----------------------------------------------------------------------------------------------

struct Mean {
    double sum = 0, squares = 0;
    int count = 0;
    void add(double value) { sum += value, squares += value * value, count++; }
    double mean() const { return sum / count; }
    double error() const { return 1.96 * std::sqrt(std::max(0.0, squares / count - mean() * mean()) / count); }
};

int main(int argc, char** argv) {
    std::string kind = argc > 3 ? argv[1] : "";
    if ((kind != "greedy" && kind != "ahead" && kind != "search") || (kind == "search" && argc < 6)) {
        std::fprintf(stderr, "usage: %s greedy|ahead|search MATCHES SEED [ITERATIONS DOMINOES [ahead]]\n", argv[0]);
        return 2;
    }
    int matches = std::atoi(argv[2]), iterations = argc > 5 ? std::atoi(argv[4]) : 0, late = argc > 5 ? std::atoi(argv[5]) : 0;
    Player player = argc > 6 ? look_ahead : greedy;
    Luck luck(std::strtoull(argv[3], nullptr, 10));
    prepare();
    Mean share, rounds, gain;
    for (int match = 0; match < matches; match++) {
        State state = deal(luck);
        int seat = match % 2;
        double gained = 0;
        while (!state.over()) {
            std::array<Sent, 2> sent;
            sent[1 - seat] = greedy(state, 1 - seat, luck);
            if (kind == "greedy") {
                sent[seat] = greedy(state, seat, luck);
            } else {
                bool thinks = kind == "search" && state.left() <= late;
                std::vector<Sent> moves = best_ahead(state, seat, thinks ? CANDIDATES : 1, luck);
                size_t chosen = moves.size() > 1 ? search(state, seat, moves, iterations, player, luck) : 0;
                if (chosen) gained += gain_of(state, seat, moves[chosen], moves[0], luck);
                sent[seat] = moves[chosen];
            }
            play_round(state, sent, luck);
        }
        share.add(state.share(seat)), rounds.add(state.rounds), gain.add(gained);
    }
    std::printf("share %.4f +- %.4f\nrounds %.3f +- %.3f\n", share.mean(), share.error(), rounds.mean(), rounds.error());
    if (kind == "search") std::printf("gain %.4f +- %.4f\n", gain.mean(), gain.error());
}

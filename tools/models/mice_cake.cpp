// Measures how often a slower search would beat the greedy bot in Mice Cake (default options), compared with the
// one-round lookahead alone. A model of the rules, the greedy bot and the lookahead that plays a match in microseconds.
// tests/tools/test_models.py compares it with the package.
//
//   c++ -O3 -std=c++17 -o mice_cake mice_cake.cpp
//   ./mice_cake fit MATCHES SEED               fits the values of the lookahead and prints them
//   ./mice_cake greedy MATCHES SEED            greedy against greedy
//   ./mice_cake ahead MATCHES SEED             the lookahead against greedy
//   ./mice_cake search MATCHES SEED ITERATIONS DOMINOES [greedy|ahead]
//   ./mice_cake look DOMINO...                 the lookahead's lead for each spread in the first round
//   ./mice_cake roll ITERATIONS DOMINO...      the rollout results of the six best spreads
//
// `search` searches when at most DOMINOES are left (28: always). In its rollouts the searching seat uses the lookahead
// for two rounds. Then, with more than 14 dominoes left, another lookahead estimates the chance of winning; otherwise both
// seats play greedily to the end. This is what the package does. With `greedy`, both seats play greedily from the start;
// with `ahead`, the searching seat uses the lookahead to the end.
// It prints the share of matches won, and the gain: at every decision, the chosen move and the lookahead's move are
// played to the end in 1500 further sampled states, and the differences are summed over the match. The gain plus the
// share of `ahead` estimates the share of the search, with a tenth of the error of match results.

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

constexpr int PIECES = 28, COLUMNS = 4, ROWS = 7, MICE = 4, OUTCOMES = 1296, QUIET_END = 20, NONE = -1, BLANK = 0;
constexpr int CANDIDATES = 6, ENDGAME = 14, JUDGED_BY = 1500, LEAST_PAIRS = 8;
constexpr double PROOF = 0.5, RIDGE = 1;
constexpr int NEWTON_STEPS = 6, STRAYS_ONE_IN = 50, GENERATIONS = 3;
constexpr const char* TABLE = "../../domain/games/mice_cake/bot/evaluation.txt";
using Weight = int64_t;
using Counts = std::array<int, COLUMNS>;
using Luck = std::mt19937_64;

int below(Luck& luck, int n) { return int((luck() >> 32) * uint64_t(n) >> 32); }

// -- dominoes in table order (0 is the 0-0) and their odds ------------------------------------------------------------

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

struct Odds {  // of 0 to 4 mice, in outcomes out of 1296; rolls: the total of each outcome, -1 if exhausted
    int take = 0, tire = 0;
    std::array<int, 25> totals{};
    std::array<int8_t, OUTCOMES> rolls{};
};
Odds ODDS[PIECES][MICE + 1];
Weight WON[PIECES][MICE + 1][MICE + 1];      // outcomes out of 1296 x 1296 in which the first group wins a contest
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
    int8_t first[COLUMNS], end[COLUMNS];  // the dominoes left in a column: seat 0 takes `first`, seat 1 `end - 1`
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

// Plays one round; roll(seat, column) returns the index of a group's outcome.
template <class Roll>
void play_round(State& state, const std::array<Sent, 2>& sent, Roll roll) {
    int before = state.left();
    int tired[2] = {0, 0};
    for (int c = 0; c < COLUMNS; c++) {
        bool last = state.length(c) == 1;
        int front[2], goal[2], total[2] = {-1, -1};
        for (int seat : {0, 1}) {
            front[seat] = state.front(seat, c);
            goal[seat] = front[seat] == BLANK ? sent[seat].target : front[seat];
            if (!sent[seat].mice[c]) continue;
            int rolled = ODDS[goal[seat]][sent[seat].mice[c]].rolls[roll(seat, c)];
            if (rolled < 0) tired[seat] += DOMINO[goal[seat]].tires();
            if (rolled >= DOMINO[goal[seat]].pips()) total[seat] = rolled;
        }
        bool both = last && total[0] >= 0 && total[1] >= 0;
        if (both && front[0] == BLANK) {  // two steals swap, and the 0-0 leaves the game
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

void play_round(State& state, const std::array<Sent, 2>& sent, Luck& luck) {
    play_round(state, sent, [&](int, int) { return below(luck, OUTCOMES); });
}

// In a rollout every possible group has its roll in advance, so that compared moves get the same luck.
void play_round_alike(State& state, const std::array<Sent, 2>& sent, Luck& luck) {
    int rolls[2][COLUMNS];
    for (auto& seat : rolls)
        for (int& roll : seat) roll = below(luck, OUTCOMES);
    play_round(state, sent, [&](int seat, int c) { return rolls[seat][c]; });
}

// -- the greedy bot -------------------------------------------------------------------------------------------------

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

// -- the evaluation of columns: domain/games/mice_cake/bot/evaluation.txt, printed by `fit` ---------------------------

constexpr int SIDES = 23, UNKNOWN = PIECES;  // number of columns of the table; row of face-down dominoes
enum Side { FRONT_AT = 0, THEIRS_AT = 6, BEHIND_AT = 12, THEIR_BEHIND_AT = 17, LAST_AT = 22 };
enum Stake {
    TIRED, THEIR_TIRED, RICH, THEIR_RICH, DEEP_5_3, DEEP_6_3, DEEP_6_4, DEEP_7_3, DEEP_7_4, DEEP_7_5,
    EVEN, EVEN_EARLY, STEADY, PIP, STAKES
};
constexpr const char* STAKE_NAMES[] = {"tired", "their_tired", "rich", "their_rich", "deep5.3", "deep6.3", "deep6.4",
                                       "deep7.3", "deep7.4", "deep7.5"};  // the ones stored in the file
constexpr int WORTHS = (PIECES + 1) * SIDES + STAKES;
double WORTH[WORTHS];  // in pips; the last four don't depend on a move and are not stored

int worth_at(int piece, int side) { return piece * SIDES + side; }
int stake_at(Stake stake) { return (PIECES + 1) * SIDES + stake; }
double spread(double pips) { return 1 + 1.2 * std::sqrt(std::max(0.0, pips)); }

// A column seen from a seat: the dominoes starting at its own front, UNKNOWN for face-down ones.
struct Block {
    int piece[ROWS], left = 0;
};

Block block_of(const State& state, int seat, int c) {
    Block block;
    block.left = state.length(c);
    for (int n = 0; n < block.left; n++) {
        int row = seat ? state.end[c] - 1 - n : state.first[c] + n;
        block.piece[n] = state.up[c][row] ? state.cell[c][row] : UNKNOWN;
    }
    return block;
}

// Calls use(index) for each value that applies to the `left` dominoes starting at `piece`.
template <class Use>
void each_worth(const int* piece, int left, Use use) {
    if (left == 1) use(worth_at(piece[0], LAST_AT));
    if (left < 2) return;
    int at = left - 2;
    use(worth_at(piece[0], FRONT_AT + at)), use(worth_at(piece[left - 1], THEIRS_AT + at));
    if (left < 3) return;
    use(worth_at(piece[1], BEHIND_AT + at - 1)), use(worth_at(piece[left - 2], THEIR_BEHIND_AT + at - 1));
    for (int n = 2, deep = DEEP_5_3 + (left - 5) * (left - 4) / 2; n < left - 2; n++, deep++)
        if (piece[n] == BLANK) use(stake_at(Stake(deep)));
}

double richest(const State& state, int seat) {  // the value of the best steal by four mice
    int target = juiciest(state, seat, MICE);
    return target == NONE ? 0 : double(STEAL[target][MICE]) / OUTCOMES / OUTCOMES;
}

double pips_left(const State& state) {
    int sum = 0;
    for (int c = 0; c < COLUMNS; c++)
        for (int row = state.first[c]; row < state.end[c]; row++) sum += DOMINO[state.cell[c][row]].pips();
    return sum;
}

// -- the lookahead --------------------------------------------------------------------------------------------------

constexpr double STRAY = 0.35, ROUND_PIPS = 12;

class Ahead {
public:
    Ahead(const State& state, int seat, const Sent& rival, const std::vector<int>& hidden)
        : state(state), seat(seat), rival(rival), hidden(hidden) {
        rich = richest(state, seat) * WORTH[stake_at(RICH)], their_rich = richest(state, 1 - seat) * WORTH[stake_at(THEIR_RICH)];
        for (int c = 0; c < COLUMNS; c++)
            for (int mice = 0; mice <= MICE; mice++) expect(c, mice);
        margin = state.margin(seat), left = spread(pips_left(state) - ROUND_PIPS);
    }
    double of(const Counts& mice) const {
        double sum = margin, strays = left * left;
        for (int c = 0; c < COLUMNS; c++) sum += mean[c][mice[c]], strays += STRAY * variance[c][mice[c]];
        return sum / std::sqrt(strays);
    }

private:
    const State& state;
    int seat;
    const Sent& rival;
    const std::vector<int>& hidden;
    double rich, their_rich, margin, left;
    double mean[COLUMNS][MICE + 1] = {}, variance[COLUMNS][MICE + 1] = {};

    void expect(int c, int mice) {
        Block block = block_of(state, seat, c);
        if (!block.left) return;
        int front = block.piece[0], theirs = rival.mice[c];
        int goal = front == BLANK ? juiciest(state, seat, mice) : front;
        if (goal == NONE) goal = BLANK, mice = 0;
        double tired = double(ODDS[goal][mice].tire) / OUTCOMES * DOMINO[goal].tires();
        int pips = DOMINO[goal].pips();
        double sum = 0, squares = 0;
        auto add = [&](double chance, double value) { sum += chance * value, squares += chance * value * value; };
        if (contested(state, c)) {
            double win = double(WON[front][mice][theirs]) / OUTCOMES / OUTCOMES;
            double lose = double(WON[front][theirs][mice]) / OUTCOMES / OUTCOMES;
            add(win, pips), add(lose, -pips), add(1 - win - lose, worth(block.piece, 1));
        } else {
            int their_front = block.piece[block.left - 1], wanted = their_front == BLANK ? rival.target : their_front;
            double lose = theirs ? double(ODDS[wanted][theirs].take) / OUTCOMES : 0;
            double take = mice ? double(ODDS[goal][mice].take) / OUTCOMES : 0;
            double gain = (front == BLANK ? 2 : 1) * pips;
            double loss = theirs ? (their_front == BLANK ? 2 : 1) * DOMINO[wanted].pips() : 0;
            for (int mine : {0, 1})
                for (int their : {0, 1}) {
                    double chance = (mine ? take : 1 - take) * (their ? lose : 1 - lose);
                    double after = worth(block.piece + mine, std::max(0, block.left - mine - their));
                    add(chance, mine * gain - their * loss + after);
                }
        }
        mean[c][mice] = sum - tired * WORTH[stake_at(TIRED)];
        variance[c][mice] = squares - sum * sum;
    }
    double worth(const int* piece, int left) const {
        double sum = 0;
        each_worth(piece, left, [&](int index) { sum += worth_of(index); });
        if (left > 1) sum += (piece[0] == BLANK) * rich + (piece[left - 1] == BLANK) * their_rich;
        return sum;
    }
    double worth_of(int index) const {  // for a face-down front: the mean over the unseen dominoes
        int piece = index / SIDES, side = index % SIDES;
        if (piece != UNKNOWN || (side >= BEHIND_AT && side < LAST_AT)) return WORTH[index];
        double sum = 0;
        for (int each : hidden) {
            sum += WORTH[worth_at(each, side)];
            if (each == BLANK && side != LAST_AT) sum += side < THEIRS_AT ? rich : their_rich;
        }
        return sum / std::max<size_t>(1, hidden.size());
    }
};

std::vector<int> hidden_in(const State& state) {
    std::vector<int> hidden;
    for (int c = 0; c < COLUMNS; c++)
        for (int row = state.first[c]; row < state.end[c]; row++)
            if (!state.up[c][row]) hidden.push_back(state.cell[c][row]);
    return hidden;
}

const std::vector<Counts>& spreads_of(const State& state, int seat) {
    static const std::vector<Counts> nobody{Counts{}};
    const std::vector<Counts>& spreads = SPREADS[state.ready(seat)][state.open(seat)];
    return spreads.empty() ? nobody : spreads;
}

std::vector<Sent> best_ahead(const State& state, int seat, int most, Luck& luck) {
    Sent rival = greedy(state, 1 - seat, luck);
    std::vector<int> hidden = hidden_in(state);
    Ahead ahead(state, seat, rival, hidden);
    std::vector<std::pair<double, Sent>> found;
    for (const Counts& mice : spreads_of(state, seat)) found.push_back({-ahead.of(mice), {mice, target_of(state, seat, mice)}});
    size_t count = std::min(size_t(most), found.size());
    auto lighter = [](const auto& one, const auto& two) { return one.first < two.first; };
    std::partial_sort(found.begin(), found.begin() + count, found.end(), lighter);
    std::vector<Sent> best;
    for (size_t n = 0; n < count; n++) best.push_back(found[n].second);
    return best;
}

Sent look_ahead(const State& state, int seat, Luck& luck) { return best_ahead(state, seat, 1, luck)[0]; }

// -- the search -----------------------------------------------------------------------------------------------------

struct Rollouts {
    int looks;   // number of rounds after the first in which the searching seat uses the lookahead
    bool hopes;  // whether rollouts before the endgame stop there with an estimate
};
constexpr Rollouts SHIPPED{2, true}, GREEDY{0, false}, AHEAD{20 * PIECES, false};

// Returns the best lead and counts against this rival in a rollout.
std::pair<double, Sent> best_against(const State& state, int seat, const Sent& rival, const std::vector<int>& hidden) {
    Ahead ahead(state, seat, rival, hidden);
    double most = -INFINITY;
    Sent best;
    for (const Counts& mice : spreads_of(state, seat))
        if (double lead = ahead.of(mice); lead > most) most = lead, best.mice = mice;
    best.target = target_of(state, seat, best.mice);
    return {most, best};
}

double rollout(State state, int seat, const Sent& move, Rollouts how, uint64_t seed) {
    Luck luck(seed), dice(luck() ^ seed);
    bool hopes = how.hopes && state.left() > ENDGAME;
    std::vector<int> hidden = hidden_in(state);  // still treated as unseen after some were turned up
    shuffle_hidden(state, luck);
    std::array<Sent, 2> sent;
    sent[seat] = move, sent[1 - seat] = greedy(state, 1 - seat, luck);
    play_round_alike(state, sent, dice);
    for (int round = 0; !state.over(); round++) {
        sent[1 - seat] = greedy(state, 1 - seat, luck);
        if (hopes && round == how.looks) return 1 / (1 + std::exp(-best_against(state, seat, sent[1 - seat], hidden).first));
        sent[seat] = round < how.looks ? best_against(state, seat, sent[1 - seat], hidden).second : greedy(state, seat, luck);
        play_round_alike(state, sent, dice);
    }
    return state.share(seat);
}

double mean(const std::vector<double>& found) {
    double sum = 0;
    for (double each : found) sum += each;
    return sum / std::max<size_t>(1, found.size());
}

// Chooses the candidate by halving, and only if it is proven better than the first, like domain/bots/search.py.
size_t search(const State& state, int seat, const std::vector<Sent>& moves, int iterations, Rollouts how, Luck& luck) {
    std::vector<std::vector<double>> found(moves.size());
    std::vector<size_t> alive(moves.size());
    for (size_t n = 0; n < moves.size(); n++) alive[n] = n;
    uint64_t seed = luck();
    int halvings = int(std::ceil(std::log2(moves.size()))), done = 0;
    for (int halving = 0; halving < halvings; halving++) {
        int visits = std::max(1, (iterations - done) / (halvings - halving) / int(alive.size()));
        for (int visit = 0; visit < visits; visit++)
            for (size_t n : alive) found[n].push_back(rollout(state, seat, moves[n], how, seed + found[n].size())), done++;
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
        sum += rollout(state, seat, chosen, AHEAD, seed + n) - rollout(state, seat, first, AHEAD, seed + n);
    return sum / JUDGED_BY;
}

// -- fitting the values: a logistic regression of wins, on all positions of matches of the lookahead ------------------

struct Term {
    int index;
    float value;
};
struct Sample {
    std::vector<Term> terms;
    float won;
};

std::vector<Term> terms_of(const State& state, int seat) {
    std::vector<Term> terms;
    float pips = float(pips_left(state)), part = float(1 / spread(pips));
    auto add = [&](Stake stake, double value) { terms.push_back({stake_at(stake), float(value)}); };
    for (int c = 0; c < COLUMNS; c++) {
        Block block = block_of(state, seat, c);
        each_worth(block.piece, block.left, [&](int index) { terms.push_back({index, part}); });
        if (block.left > 1 && block.piece[0] == BLANK) add(RICH, part * richest(state, seat));
        if (block.left > 1 && block.piece[block.left - 1] == BLANK) add(THEIR_RICH, part * richest(state, 1 - seat));
    }
    add(TIRED, -part * state.resting[seat]), add(THEIR_TIRED, -part * state.resting[1 - seat]);
    add(EVEN, part), add(EVEN_EARLY, part * pips / 20), add(STEADY, 1), add(PIP, part * state.margin(seat));
    return terms;
}

// Solves A x = b for a symmetric positive definite A, whose lower half is overwritten.
std::vector<double> solved(std::vector<double>& a, std::vector<double> b) {
    int n = int(b.size());
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-9)) : sum / a[j * n + j];
        }
    for (int i = 0; i < n; b[i] /= a[i * n + i], i++)
        for (int k = 0; k < i; k++) b[i] -= a[i * n + k] * b[k];
    for (int i = n - 1; i >= 0; b[i] /= a[i * n + i], i--)
        for (int k = i + 1; k < n; k++) b[i] -= a[k * n + i] * b[k];
    return b;
}

std::vector<double> fitted(const std::vector<Sample>& samples) {
    std::vector<double> weights(WORTHS);
    for (int step = 0; step < NEWTON_STEPS; step++) {
        std::vector<double> curve(size_t(WORTHS) * WORTHS), slope(WORTHS);
        for (const Sample& sample : samples) {
            double sum = 0;
            for (const Term& term : sample.terms) sum += term.value * weights[term.index];
            double chance = 1 / (1 + std::exp(-sum)), weight = std::max(1e-4, chance * (1 - chance));
            for (const Term& one : sample.terms) {
                slope[one.index] += one.value * (sample.won - chance);
                for (const Term& two : sample.terms)
                    if (two.index <= one.index) curve[size_t(one.index) * WORTHS + two.index] += weight * one.value * two.value;
            }
        }
        for (int n = 0; n < WORTHS; n++) curve[size_t(n) * WORTHS + n] += RIDGE, slope[n] -= RIDGE * weights[n];
        std::vector<double> change = solved(curve, slope);
        for (int n = 0; n < WORTHS; n++) weights[n] += change[n];
    }
    return weights;
}

// Plays one generation: matches of the lookahead with the current values and occasional random moves.
void fit(int matches, Luck& luck) {
    std::vector<Sample> samples;
    for (int match = 0; match < matches; match++) {
        State state = deal(luck);
        int seat = match % 2;
        size_t start = samples.size();
        while (!state.over()) {
            samples.push_back({terms_of(state, seat), 0});
            std::array<Sent, 2> sent;
            sent[1 - seat] = greedy(state, 1 - seat, luck), sent[seat] = look_ahead(state, seat, luck);
            const std::vector<Counts>& spreads = SPREADS[state.ready(seat)][state.open(seat)];
            if (below(luck, STRAYS_ONE_IN) == 0 && !spreads.empty()) {
                sent[seat].mice = spreads[below(luck, int(spreads.size()))];
                sent[seat].target = target_of(state, seat, sent[seat].mice);
                samples.resize(start);  // drop the positions before a random move
            }
            play_round(state, sent, luck);
        }
        for (size_t n = start; n < samples.size(); n++) samples[n].won = float(state.share(seat));
    }
    std::vector<double> weights = fitted(samples);
    for (int n = 0; n < WORTHS; n++) WORTH[n] = weights[n] / weights[stake_at(PIP)];
}

std::string heading() {
    std::string line = "domino";
    for (const char* name : {"front", "theirs"})
        for (int left = 2; left <= ROWS; left++) line += " " + std::string(name) + std::to_string(left);
    for (const char* name : {"behind", "their_behind"})
        for (int left = 3; left <= ROWS; left++) line += " " + std::string(name) + std::to_string(left);
    return line + " last";
}

std::string name_of(int piece) {
    return piece == UNKNOWN ? "?" : std::to_string(DOMINO[piece].low) + "-" + std::to_string(DOMINO[piece].high);
}

void print_worths() {
    for (int stake = TIRED; stake < EVEN; stake++) std::printf("%s %.2f\n", STAKE_NAMES[stake], WORTH[stake_at(Stake(stake))]);
    std::printf("%s\n", heading().c_str());
    for (int piece = 0; piece <= UNKNOWN; piece++) {
        std::printf("%s", name_of(piece).c_str());
        for (int side = 0; side < SIDES; side++) std::printf(" %.1f", WORTH[worth_at(piece, side)] + 0.0);
        std::printf("\n");
    }
}

bool read_worths() {
    std::ifstream file(std::filesystem::path(__FILE__).parent_path() / TABLE);
    std::string word, line;
    for (int stake = TIRED; stake < EVEN; stake++) file >> word >> WORTH[stake_at(Stake(stake))];
    file >> std::ws;
    std::getline(file, line);
    for (int piece = 0; piece <= UNKNOWN; piece++) {
        file >> word;
        for (int side = 0; side < SIDES; side++) file >> WORTH[worth_at(piece, side)];
    }
    return bool(file);
}

// -- series of matches ----------------------------------------------------------------------------------------------

struct Mean {
    double sum = 0, squares = 0;
    int count = 0;
    void add(double value) { sum += value, squares += value * value, count++; }
    double mean() const { return sum / count; }
    double error() const { return 1.96 * std::sqrt(std::max(0.0, squares / count - mean() * mean()) / count); }
};

// Reads a cake given as 28 indices into the table order.
State laid(char** cake) {
    Luck luck(1);
    State state = deal(luck);
    for (int n = 0; n < PIECES; n++) state.cell[n % COLUMNS][n / COLUMNS] = int8_t(std::atoi(cake[n]));
    return state;
}

void print_one(const Counts& mice, double value) { std::printf("%d%d%d%d %.6f\n", mice[0], mice[1], mice[2], mice[3], value); }

// Prints the lookahead's leads for the spreads of seat 0 in the first round.
void print_looks(const State& state) {
    Luck luck(1);
    Sent rival = greedy(state, 1, luck);
    std::vector<int> hidden = hidden_in(state);
    Ahead ahead(state, 0, rival, hidden);
    for (const Counts& mice : spreads_of(state, 0)) print_one(mice, ahead.of(mice));
}

// Prints the rollout results of the best spreads.
void print_rollouts(const State& state, int iterations) {
    Luck luck(1);
    for (const Sent& move : best_ahead(state, 0, CANDIDATES, luck)) {
        double sum = 0;
        for (int n = 0; n < iterations; n++) sum += rollout(state, 0, move, SHIPPED, n);
        print_one(move.mice, sum / iterations);
    }
}

int main(int argc, char** argv) {
    std::string kind = argc > 3 ? argv[1] : "";
    const char* kinds[] = {"greedy", "ahead", "search", "fit", "look", "roll"};
    if (std::find(std::begin(kinds), std::end(kinds), kind) == std::end(kinds) || (kind == "search" && argc < 6) ||
        (kind == "look" && argc < 2 + PIECES) || (kind == "roll" && argc < 3 + PIECES)) {
        std::fprintf(stderr,
                     "usage: %s fit|greedy|ahead|search MATCHES SEED [ITERATIONS DOMINOES [greedy|ahead]]\n"
                     "       %s look DOMINO...\n       %s roll ITERATIONS DOMINO...\n",
                     argv[0], argv[0], argv[0]);
        return 2;
    }
    int matches = std::atoi(argv[2]), iterations = argc > 5 ? std::atoi(argv[4]) : 0, late = argc > 5 ? std::atoi(argv[5]) : 0;
    std::string word = argc > 6 ? argv[6] : "";
    Rollouts how = word == "greedy" ? GREEDY : word == "ahead" ? AHEAD : SHIPPED;
    Luck luck(std::strtoull(argv[3], nullptr, 10));
    prepare();
    if (kind == "fit") {
        for (int generation = 0; generation < GENERATIONS; generation++) fit(matches, luck);
        print_worths();
        return 0;
    }
    if (!read_worths()) return std::fprintf(stderr, "cannot read %s\n", TABLE), 1;
    if (kind == "look") return print_looks(laid(argv + 2)), 0;
    if (kind == "roll") return print_rollouts(laid(argv + 3), matches), 0;
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
                size_t chosen = moves.size() > 1 ? search(state, seat, moves, iterations, how, luck) : 0;
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

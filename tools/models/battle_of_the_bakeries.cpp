// Measures whether a slower search could beat the greedy bot more often than the strong bot's policy in Battle of the
// Bakeries (default options). A model of the rules, the greedy bot and the policy. tests/tools/test_models.py compares it
// with the package.
//
//   c++ -O3 -std=c++17 -o battle_of_the_bakeries battle_of_the_bakeries.cpp
//   ./battle_of_the_bakeries match MATCHES SEED greedy|policy    whole matches against greedy
//   ./battle_of_the_bakeries hunt ROUNDS SEED ROLLOUTS           gain of other choices in phase one
//   ./battle_of_the_bakeries draft ROUNDS SEED ROLLOUTS          gain of other slots for the cakes
//
// `hunt` and `draft` play every alternative at each decision of seat 0 to the end of the phase, with the same luck. Half
// of the rollouts choose the best alternative, the other half measure its gain over the policy's choice. `hunt` measures
// in shares of a win, `draft` in dollars of the margin, both summed over a round.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

constexpr int SLOTS = 11, CAKES = 11, CARDS = 30, TURNS = 30, ROUNDS = 3, LAST_ROLL = 400, SALES = 7;
using Luck = std::mt19937_64;

int below(Luck& luck, int n) { return int((luck() >> 32) * uint64_t(n) >> 32); }
int die(Luck& luck) { return 1 + below(luck, 6); }

struct Mean {
    double sum = 0, squares = 0;
    int count = 0;
    void add(double value) { sum += value, squares += value * value, count++; }
    double mean() const { return sum / count; }
    double stray() const { return std::sqrt(std::max(0.0, squares / count - mean() * mean())); }
    double error() const { return 1.96 * stray() / std::sqrt(double(count)); }
};

// Chooses among alternatives with paired results: half of the pairs prove one better than the first, the other half
// measure its gain.
struct Choice {
    size_t best = 0;
    double gain = 0;
};

Choice choose(const std::vector<std::vector<double>>& found) {
    Choice choice;
    double most = 0;
    for (size_t n = 1; n < found.size(); n++) {
        Mean choosing, judging;
        for (size_t k = 0; k < found[n].size(); k++) (k % 2 ? judging : choosing).add(found[n][k] - found[0][k]);
        double margin = choosing.mean() - choosing.error() / 1.96;
        if (margin > most) most = margin, choice = {n, judging.mean()};
    }
    return choice;
}

// -- phase one: hiring a chef. Cards are bits; with the memory aid, both seats know every card seen so far -------------

using Cards = uint32_t;
constexpr Cards EVERY = (1u << CARDS) - 1;

Cards chef_of(int set) { return 1u << (set - 2) * 5; }
Cards parts_of(int set) { return 0xFu << ((set - 2) * 5 + 1); }
Cards wilds_of(int set) { return set <= 3 ? 7u << 25 : set <= 5 ? 3u << 28 : 0; }
int count(Cards cards) { return __builtin_popcount(cards); }

constexpr int OUT_EARNS[] = {0, 0, 58, 70, 74, 79, 73};
constexpr double CHEF_WORTH[] = {0, 0, 2500, 3600, 4600, 5400, 5300};
constexpr double GAMBLE = 1 / 3.0, LAST_TURN_GAMBLE = 0.1;

struct Hunt {
    Cards known = 0, gone = 0;
    int turn = 1, actor = 0, starter = 0, finder = -1, fives = 0;
    bool over = false;
    std::array<int, 2> skips{}, money{}, chef{1, 1};

    Cards seen() const { return known & ~gone; }
    Cards unseen() const { return EVERY & ~known & ~gone; }
    bool last_turn() const { return turn >= TURNS; }
};

struct Plan {
    int missing;
    double chance;
};

Plan plan(const Hunt& hunt, int set) {
    if (hunt.gone & chef_of(set)) return {9, 0};
    Cards seen = hunt.seen(), pool = hunt.unseen();
    int parts = count(seen & parts_of(set));
    bool wild = parts < 4 && seen & wilds_of(set), chef = seen & chef_of(set);
    int missing = 4 - parts - wild + !chef;
    int fits = count(pool & parts_of(set)) + (wild ? 0 : count(pool & wilds_of(set))) + count(pool & chef_of(set));
    double chance = 1;
    for (int n = 0; n < missing; n++) chance *= std::max(0, fits - n) / double(std::max(1, count(pool) - n));
    return {missing, chance};
}

int hunted(const Hunt& hunt) {  // the set that greedy tries for, or 0 to roll
    int best = 0;
    for (int set = 2; set <= 6; set++)
        if (!plan(hunt, set).missing && OUT_EARNS[set] > OUT_EARNS[best]) best = set;
    if (best) return best;
    double most = 0, enough = hunt.last_turn() ? LAST_TURN_GAMBLE : GAMBLE;
    for (int set = 6; set >= 2; set--) {
        double chance = plan(hunt, set).chance;
        if (chance >= enough && chance * OUT_EARNS[set] > most) most = chance * OUT_EARNS[set], best = set;
    }
    return best;
}

int by_policy(const Hunt& hunt) {  // the same for the strong bot's policy
    bool first = hunt.turn == 1 && !hunt.skips[0] && !hunt.skips[1];
    if (first) return 6;  // no chef is known: fail on purpose to get the last turn
    if (!hunt.last_turn()) return hunted(hunt);
    int best = 0;
    double most = 250 * (hunt.fives + 2) / 6.0;
    for (int set = 6; set >= 2; set--) {
        double worth = plan(hunt, set).chance * CHEF_WORTH[set];
        if (worth > most) most = worth, best = set;
    }
    return best;
}

bool dangerous(const Hunt& hunt) {  // whether one more card can complete a set for the other seat
    if (hunt.skips[1 - hunt.actor]) return false;
    for (int set = 2; set <= 6; set++) {
        Plan found = plan(hunt, set);
        if (found.missing == 1 && found.chance > 0) return true;
    }
    return false;
}

Cards uncover(Hunt& hunt, Luck& luck) {
    Cards pool = hunt.unseen();
    if (!pool) return 0;
    for (int n = below(luck, count(pool)); n > 0; n--) pool &= pool - 1;
    Cards card = pool & -pool;
    hunt.known |= card;
    return card;
}

int try_for(Hunt& hunt, int set, int allowed, Luck& luck) {  // the set that was completed, or 0
    if (!(hunt.seen() & chef_of(set))) {  // the first card must be a chef, which determines the set
        Cards card = uncover(hunt, luck);
        set = 0;
        for (int other = 2; other <= 6; other++)
            if (card == chef_of(other) && allowed >> other & 1) set = other;
        if (!set) return 0;
    }
    Cards used = hunt.seen() & parts_of(set), wilds = hunt.seen() & wilds_of(set);
    Cards wild = count(used) < 4 ? wilds & -wilds : 0;
    while (count(used | wild) < 4) {
        Cards card = uncover(hunt, luck);
        if (card & parts_of(set)) used |= card;
        else if (card & wilds_of(set) && !wild) wild = card;
        else return 0;
    }
    hunt.gone |= used | wild | chef_of(set);
    return set;
}

void end_turn(Hunt& hunt, bool failed) {
    hunt.over = hunt.last_turn();
    hunt.skips[hunt.actor] += failed;
    int next = 1 - hunt.actor;
    for (; hunt.skips[next]; next = 1 - next) hunt.skips[next]--;
    hunt.actor = next, hunt.turn++;
}

void attempt(Hunt& hunt, int set, Luck& luck) {
    constexpr int LESSER[] = {0, 0, 0, 1 << 2, 3 << 2, 3 << 2, 15 << 2};  // the option book_list
    int seat = hunt.actor, found = try_for(hunt, set, 31 << 2, luck);
    if (!found) return end_turn(hunt, true);
    hunt.chef[seat] = found, hunt.finder = seat, hunt.over = true;
    int best = 0;
    double most = -1;
    for (int lesser = 6; lesser >= 2; lesser--) {
        double likely = plan(hunt, lesser).chance + OUT_EARNS[lesser] * 1e-6;
        if (LESSER[found] >> lesser & 1 && likely > most) most = likely, best = lesser;
    }
    if (!best) return;
    if (int second = try_for(hunt, best, LESSER[found], luck)) hunt.chef[1 - seat] = second;
}

enum Uncover { AS_GREEDY, OLD_CARDS, NEW_CARDS };

void roll(Hunt& hunt, Uncover which, Luck& luck) {
    int value = die(luck);
    if (value == 5) {
        hunt.money[hunt.actor] += 250 * (++hunt.fives + 1);
        return end_turn(hunt, false);
    }
    int cards = value == 6 ? 1 : value;
    for (int n = 0; n < cards; n++) {
        bool can = count(hunt.seen()) > n, old = which == OLD_CARDS || (which == AS_GREEDY && dangerous(hunt));
        if (!(can && old)) uncover(hunt, luck);
    }
    end_turn(hunt, false);
}

void step(Hunt& hunt, bool policy, Luck& luck) {
    int set = policy ? by_policy(hunt) : hunted(hunt);
    set ? attempt(hunt, set, luck) : roll(hunt, AS_GREEDY, luck);
}

Hunt begin(bool policy, Luck& luck) {  // the policy goes first if it can choose; greedy chooses at random
    Hunt hunt;
    hunt.actor = hunt.starter = policy && below(luck, 2) ? 0 : below(luck, 2);
    return hunt;
}

// -- phases two and three: cakes and their sale ------------------------------------------------------------------------

constexpr int PRICES[] = {500, 350, 200, 125, 75, 50, 75, 125, 200, 350, 500};
constexpr std::array<int, CAKES> STORE{2, 3, 5, 7, 12, 20, 12, 7, 5, 3, 2};
constexpr int FACTORS[] = {13, 8, 5, 3, 2, 1, 2, 3, 5, 8, 13}, WAYS[] = {1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1};
constexpr int SOLD[] = {24, 43, 57, 68, 76, 82, 76, 68, 57, 43, 24};
// Average earnings per dollar of price in a slot, for the seat that rolls second and first. The loser keeps 40 per cent.
constexpr double BRINGS[2][SLOTS] = {{2.34, 2.49, 2.02, 1.42, 1.04, .56, 1.04, 1.42, 2.02, 2.49, 2.34},
                                     {2.63, 2.78, 2.25, 1.57, 1.15, .61, 1.15, 1.57, 2.25, 2.78, 2.63}};

struct Shop {
    std::array<int, 2> chef{1, 1};
    int opener = 0, seat = 0, drawn = -1;
    std::array<int, CAKES> store = STORE;
    std::array<std::array<int, SLOTS>, 2> cake;
    Shop() { cake[0].fill(-1), cake[1].fill(-1); }

    bool roomy(int owner) const { return std::count(cake[owner].begin(), cake[owner].end(), -1) > 0; }
    double expected() const {  // the margin of seat 0, without stale cards and the Great Chef Bonus
        double sum = 0;
        for (int owner : {0, 1})
            for (int slot = 0; slot < SLOTS; slot++)
                sum += (owner ? -1 : 1) * chef[owner] * BRINGS[owner == opener][slot] * PRICES[cake[owner][slot]];
        return sum;
    }
};

void draw(Shop& shop, Luck& luck) {
    int left = 0;
    for (int copies : shop.store) left += copies;
    int rest = below(luck, left);
    for (shop.drawn = 0; rest >= shop.store[shop.drawn]; shop.drawn++) rest -= shop.store[shop.drawn];
    shop.store[shop.drawn]--;
}

void place(Shop& shop, int owner, int slot, Luck& luck) {
    shop.cake[owner][slot] = shop.drawn, shop.drawn = -1;
    if (shop.roomy(1 - shop.seat)) shop.seat = 1 - shop.seat;  // otherwise the owner of the case with room continues
    if (shop.roomy(shop.seat)) draw(shop, luck);
}

std::pair<int, int> greedy_slot(const Shop& shop, Luck& luck) {
    int left = 0, worth = 0, ties = 0;
    for (int n = 0; n < CAKES; n++) left += shop.store[n], worth += shop.store[n] * PRICES[n];
    double most = -1e18;
    std::pair<int, int> best;
    for (int owner : {0, 1})
        for (int slot = 0; slot < SLOTS; slot++) {
            if (shop.cake[owner][slot] >= 0) continue;
            double beyond = PRICES[shop.drawn] - double(worth) / left;
            double weight = shop.chef[owner] * SOLD[slot] * FACTORS[slot] * (owner == shop.seat ? beyond : -beyond);
            if (weight > most) most = weight, ties = 0;
            if (weight == most && below(luck, ++ties) == 0) best = {owner, slot};
        }
    return best;
}

Shop open_shop(std::array<int, 2> chef, int opener, Luck& luck) {
    Shop shop;
    shop.chef = chef, shop.opener = opener, shop.seat = 1 - opener;
    draw(shop, luck);
    return shop;
}

void fill(Shop& shop, Luck& luck) {
    while (shop.drawn >= 0) {
        auto [owner, slot] = greedy_slot(shop, luck);
        place(shop, owner, slot, luck);
    }
}

struct Takings {
    std::array<int, 2> kept{};
    int winner = -1;
};

int price(int cake, int stale) { return PRICES[cake] * (100 - 20 * stale) / 100; }

Takings sell(const Shop& shop, Luck& luck) {
    std::array<int, 2> tab{}, sold{}, cakes{};  // `sold` and `cakes` are bit sets of slots and kinds of cake
    std::array<std::array<int, SLOTS>, 2> stale{};
    int seat = shop.opener, deck = 30, winner = -1;
    bool varied[2] = {true, true};
    for (int n = 0; n < LAST_ROLL && winner < 0; n++, seat = 1 - seat) {
        int slot = below(luck, 6) + below(luck, 6);
        if (!(sold[seat] >> slot & 1)) {
            int cake = shop.cake[seat][slot];
            sold[seat] |= 1 << slot, tab[seat] += shop.chef[seat] * FACTORS[slot] * price(cake, stale[seat][slot]);
            varied[seat] &= !(cakes[seat] >> cake & 1), cakes[seat] |= 1 << cake;
            if (__builtin_popcount(sold[seat]) == SALES) winner = seat;
            continue;
        }
        int worst = -1, most = -1;
        for (int other = 0; other < SLOTS; other++) {
            int weight = FACTORS[other] * WAYS[other] * PRICES[shop.cake[seat][other]];
            if (!(sold[seat] >> other & 1) && stale[seat][other] < 4 && weight > most) most = weight, worst = other;
        }
        if (deck && worst >= 0) stale[seat][worst]++, deck--;
    }
    Takings takings;
    takings.winner = winner;
    for (int one : {0, 1}) {
        int percent = one == winner ? 100 : 40;
        if (winner == 1 - one && shop.chef[winner] - shop.chef[one] >= 3) {  // the catch-up round, one try
            std::vector<int> unsold;
            for (int slot = 0; slot < SLOTS; slot++)
                if (!(sold[one] >> slot & 1)) unsold.push_back(slot);
            int wanted = unsold[below(luck, int(unsold.size()))];
            if (below(luck, 6) + below(luck, 6) == wanted) percent = 60;
        }
        takings.kept[one] = tab[one] * percent / 100 + (one == winner && varied[one] ? tab[one] / 5 : 0);
    }
    return takings;
}

// -- measurements -------------------------------------------------------------------------------------------------------

int opener_of(const Hunt& hunt) { return hunt.finder >= 0 ? hunt.finder : hunt.starter; }

void matches(int number, Luck& luck, bool policy) {
    Mean share, margin, hired[2];
    for (int match = 0; match < number; match++) {
        std::array<int, 2> score{}, won{};
        for (int round = 0; round < ROUNDS; round++) {
            Hunt hunt = begin(policy, luck);
            while (!hunt.over) step(hunt, policy && hunt.actor == 0, luck);
            Shop shop = open_shop(hunt.chef, opener_of(hunt), luck);
            fill(shop, luck);
            Takings takings = sell(shop, luck);
            for (int seat : {0, 1}) score[seat] += takings.kept[seat] + hunt.money[seat], hired[seat].add(hunt.chef[seat] > 1);
            if (takings.winner >= 0) won[takings.winner]++;
        }
        int by = score[0] != score[1] ? score[0] - score[1] : won[0] - won[1];
        share.add(by > 0 ? 1 : by < 0 ? 0 : 0.5), margin.add(score[0] - score[1]);
    }
    std::printf("share %.4f +- %.4f\nmargin %.0f +- %.0f\nstray %.0f\n", share.mean(), share.error(), margin.mean(), margin.error(), margin.stray());
    std::printf("hired %.4f +- %.4f\nrival_hired %.4f +- %.4f\n", hired[0].mean(), hired[0].error(), hired[1].mean(), hired[1].error());
}

// Returns the result of a hunt for seat 0 as a share of a win. A chef is worth about 2690 dollars per point of multiplier,
// rolling first in the sale 330 dollars, and the rest of a match has a standard deviation of 6500 dollars.
double hope(const Hunt& hunt) {
    double margin = hunt.money[0] - hunt.money[1] + 2690.0 * (hunt.chef[0] - hunt.chef[1]);
    margin += opener_of(hunt) == 0 ? 330 : -330;
    return 0.5 * std::erfc(-margin / 6500 / std::sqrt(2.0));
}

void make(Hunt& hunt, int way, Luck& luck) {  // `way` is a set to try for, or -1 minus a way to turn over cards
    way > 0 ? attempt(hunt, way, luck) : roll(hunt, Uncover(-1 - way), luck);
}

void hunts(int number, Luck& luck, int rollouts) {
    constexpr double LEAST_CHANCE = 0.03;
    Mean gained, hired;
    for (int round = 0; round < number; round++) {
        Hunt hunt = begin(true, luck);
        double gain = 0;
        while (!hunt.over) {
            if (hunt.actor == 1) {
                step(hunt, false, luck);
                continue;
            }
            int first = by_policy(hunt);
            std::vector<int> ways{first ? first : -1 - AS_GREEDY};
            if (first) ways.push_back(-1 - AS_GREEDY);
            ways.push_back(-1 - OLD_CARDS), ways.push_back(-1 - NEW_CARDS);
            for (int set = 2; set <= 6; set++)
                if (set != first && plan(hunt, set).chance > LEAST_CHANCE) ways.push_back(set);
            std::vector<std::vector<double>> found(ways.size());
            uint64_t seed = luck();
            for (size_t n = 0; n < ways.size(); n++)
                for (int k = 0; k < rollouts; k++) {
                    Luck same(seed + k);
                    Hunt rest = hunt;
                    make(rest, ways[n], same);
                    while (!rest.over) step(rest, rest.actor == 0, same);
                    found[n].push_back(hope(rest));
                }
            Choice choice = choose(found);
            gain += choice.gain;
            make(hunt, ways[choice.best], luck);
        }
        gained.add(gain), hired.add(hunt.chef[0] > 1);
    }
    std::printf("gain %.4f +- %.4f\nhired %.4f +- %.4f\n", gained.mean(), gained.error(), hired.mean(), hired.error());
}

void drafts(int number, Luck& luck, int rollouts) {
    Mean gained;
    for (int round = 0; round < number; round++) {
        Shop shop = open_shop({1, 1}, round % 2, luck);
        double gain = 0;
        while (shop.drawn >= 0) {
            std::vector<std::pair<int, int>> slots{greedy_slot(shop, luck)};
            for (int owner : {0, 1})
                for (int slot = 0; slot < SLOTS && shop.seat == 0; slot++)
                    if (shop.cake[owner][slot] < 0 && slots[0] != std::pair(owner, slot)) slots.push_back({owner, slot});
            std::vector<std::vector<double>> found(slots.size());
            uint64_t seed = luck();
            for (size_t n = 0; n < slots.size() && slots.size() > 1; n++)
                for (int k = 0; k < rollouts; k++) {
                    Luck same(seed + k);
                    Shop rest = shop;
                    place(rest, slots[n].first, slots[n].second, same);
                    fill(rest, same);
                    found[n].push_back(rest.expected());
                }
            Choice choice = slots.size() > 1 ? choose(found) : Choice{};
            gain += choice.gain;
            place(shop, slots[choice.best].first, slots[choice.best].second, luck);
        }
        gained.add(gain);
    }
    std::printf("gain %.1f +- %.1f\n", gained.mean(), gained.error());
}

int main(int argc, char** argv) {
    std::string kind = argc > 4 ? argv[1] : "";
    if (kind != "match" && kind != "hunt" && kind != "draft") {
        std::fprintf(stderr, "usage: %s match MATCHES SEED greedy|policy, or hunt|draft ROUNDS SEED ROLLOUTS\n", argv[0]);
        return 2;
    }
    int number = std::atoi(argv[2]);
    Luck luck(std::strtoull(argv[3], nullptr, 10));
    if (kind == "match") matches(number, luck, std::string(argv[4]) == "policy");
    else if (kind == "hunt") hunts(number, luck, std::atoi(argv[4]));
    else drafts(number, luck, std::atoi(argv[4]));
}

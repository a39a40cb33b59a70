package plan

import "slices"

// repeat is a sequence of count lists of period steps.
type repeat struct{ start, period, count int }

func (r repeat) end() int { return r.start + r.period*r.count }

func (r repeat) saved() int { return r.period * (r.count - 1) }

// periodic is a part of a list of tokens: each from start to end equals the one a period behind it. It has a length of at
// least one period, and cannot be longer on either side.
type periodic struct{ start, end, period int }

// repetitions returns the repetitions in a list of tokens that save at least so many steps, by increasing period. Equal
// numbers are equal tokens.
//
// What repeats a period is at least as long, so that it includes one of positions that are a period apart. It is enough to
// look there, n/2 + n/3 + n/4 + … < n log n times.
func repetitions(tokens []int, least int) []periodic {
	var out []periodic
	n := len(tokens)
	equal := newEqualParts(tokens)
	for period := 2; period <= n/2; period++ {
		for i := 0; i+period < n; i += period {
			if tokens[i] != tokens[i+period] {
				continue
			}
			x := periodic{i - equal.before(i, i+period), i + equal.from(i, i+period), period}
			if x.longest(0, n).saved() >= least {
				out = append(out, x)
			}
			i = x.end // what comes next begins behind it
		}
	}
	return out
}

// longest returns the last one of the repetitions between two positions that save most. Its count is less than 2 if there
// is none.
func (x periodic) longest(from, to int) repeat {
	start, end := max(x.start, from), min(x.end, to-x.period)
	times := max(end-start, 0) / x.period
	return repeat{end - times*x.period, x.period, times + 1}
}

// within returns the repetitions that save at least so many steps between two positions, and of those the one that saves
// most. The shortest period is preferred, and then the last repetition.
func within(all []periodic, from, to, least int) (here []periodic, best repeat) {
	for _, x := range all {
		r := x.longest(from, to)
		if r.saved() < least {
			continue
		}
		here = append(here, x)
		if more := r.saved() - best.saved(); more > 0 || more == 0 && r.period == best.period && r.start > best.start {
			best = r
		}
	}
	return here, best
}

// equalParts compares parts of a list of tokens in logarithmic time. Its table k has, for each position, a number that all
// equal parts of 2^k tokens have in common.
type equalParts [][]int

// newEqualParts makes tables until all parts are different.
func newEqualParts(tokens []int) equalParts {
	e := equalParts{tokens}
	for {
		last := e[len(e)-1]
		half := 1 << (len(e) - 1)
		n := len(tokens) - 2*half + 1
		if n <= 1 {
			return e
		}
		number := map[[2]int]int{}
		next := make([]int, n)
		for i := range next {
			key := [2]int{last[i], last[i+half]}
			k, ok := number[key]
			if !ok {
				k = len(number)
				number[key] = k
			}
			next[i] = k
		}
		if len(number) == n {
			return e
		}
		e = append(e, next)
	}
}

// from returns the number of equal tokens from i and from j > i on.
func (e equalParts) from(i, j int) int {
	n := 0
	for k, part := range slices.Backward(e) {
		if j+n < len(part) && part[i+n] == part[j+n] {
			n += 1 << k
		}
	}
	return n
}

// before returns the number of equal tokens before i and before j > i.
func (e equalParts) before(i, j int) int {
	n := 0
	for k, part := range slices.Backward(e) {
		if at := n + 1<<k; at <= i && part[i-at] == part[j-at] {
			n = at
		}
	}
	return n
}

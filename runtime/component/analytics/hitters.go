package analytics

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Words are the words of a peer. They are not empty, and have no byte 0. Words that occur several times are
// counted as often.
type Words interface{ Words() []string }

// children is the number of prefixes that are half a byte longer than another one.
const children = 16

// Voter counts the words of a peer that begin with the prefixes of a [Hitters].
type Voter struct {
	Words Words // set with Needs
}

// Votes returns sixteen counts for each prefix: how many words begin with it and each next half byte. A prefix
// that is a whole word has the first count.
func (v *Voter) Votes(asked tensor.Dense[uint8]) (tensor.Dense[int32], error) {
	list, err := readPrefixes(asked.Data)
	if err != nil {
		return tensor.Dense[int32]{}, err
	}
	votes := tensor.DenseOf(make([]int32, children*len(list)), children*len(list))
	for _, w := range v.Words.Words() {
		if w == "" || bytes.IndexByte([]byte(w), 0) >= 0 {
			return votes, fmt.Errorf("the word %q is empty or has a byte 0", w)
		}
		halves := halvesOf(w)
		for i, p := range list {
			switch {
			case !bytes.HasPrefix(halves, p):
			case len(p) == len(halves):
				votes.Data[children*i]++
			default:
				votes.Data[children*i+int(halves[len(p)])]++
			}
		}
	}
	return votes, nil
}

// halvesOf returns the halves of a word's bytes and of a byte 0, which ends it.
func halvesOf(w string) []byte {
	out := make([]byte, 0, 2*len(w)+2)
	for i := range len(w) {
		out = append(out, w[i]>>4, w[i]&0xf)
	}
	return append(out, 0, 0)
}

// isWhole reports whether a prefix is a word with its end.
func isWhole(p []byte) bool {
	return len(p) >= 2 && len(p)%2 == 0 && p[len(p)-2] == 0 && p[len(p)-1] == 0
}

// Hitters finds the words that all peers together have most often (heavy hitters), as W. Zhu and others do in
// "Federated Heavy Hitters Discovery with Differential Privacy", 2020: prefixes that few words have are dropped,
// and the others grow. The server learns nothing about words that fewer than Least of all words are equal to,
// except for prefixes that more words share.
type Hitters struct {
	Least int32 // how often a word must occur
	Most  int   // of prefixes that are kept, the most frequent ones; 0: 1024
}

// Open checks the configuration.
func (h *Hitters) Open(runtime.Env) error {
	if h.Least < 1 || h.Most < 0 || h.Most > maxPrefixes {
		return fmt.Errorf("analytics.Hitters: Least is %d and Most %d, want at least 1, and 0 to %d", h.Least, h.Most, maxPrefixes)
	}
	return nil
}

// First returns the prefixes for the first round: the empty one.
func (h *Hitters) First() (tensor.Dense[uint8], error) { return vector([]byte{0}), nil }

// grown is a prefix with the number of words that begin with it.
type grown struct {
	halves []byte
	count  int32
}

// Grow returns the prefixes for the next round, and whether all of them are whole words.
func (h *Hitters) Grow(asked tensor.Dense[uint8], votes tensor.Dense[int32]) (next tensor.Dense[uint8], done bool, err error) {
	list, err := h.grow(asked.Data, votes.Data)
	if err != nil {
		return asked, false, err
	}
	var b []byte
	done = true
	for _, g := range list {
		b = append(append(b, byte(len(g.halves))), g.halves...)
		done = done && isWhole(g.halves)
	}
	return vector(b), done, nil
}

// Found returns the whole words among the prefixes, and how often they occur, the most frequent one first.
func (h *Hitters) Found(asked tensor.Dense[uint8], votes tensor.Dense[int32]) (words tensor.Dense[string], counts tensor.Dense[int32], err error) {
	list, err := h.grow(asked.Data, votes.Data)
	if err != nil {
		return words, counts, err
	}
	var found []string
	var often []int32
	for _, g := range list {
		if isWhole(g.halves) {
			w := make([]byte, len(g.halves)/2-1)
			for i := range w {
				w[i] = g.halves[2*i]<<4 | g.halves[2*i+1]
			}
			found, often = append(found, string(w)), append(often, g.count)
		}
	}
	return tensor.DenseOf(found, len(found)), tensor.DenseOf(often, len(often)), nil
}

// grow returns the prefixes that enough words begin with, the most frequent first.
func (h *Hitters) grow(asked []byte, votes []int32) (list []grown, err error) {
	prefixes, err := readPrefixes(asked)
	if err != nil {
		return nil, err
	}
	if len(votes) != children*len(prefixes) {
		return nil, fmt.Errorf("%d counts for %d prefixes, want %d", len(votes), len(prefixes), children*len(prefixes))
	}
	for i, p := range prefixes {
		for half, n := range votes[children*i : children*(i+1)] {
			switch longer := append(slices.Clip(p), byte(half)); {
			case n < h.Least:
			case isWhole(p):
				if half == 0 {
					list = append(list, grown{p, n})
				}
			case len(longer) <= longest:
				list = append(list, grown{longer, n})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b grown) int {
		return cmp.Or(-cmp.Compare(a.count, b.count), bytes.Compare(a.halves, b.halves))
	})
	return list[:min(len(list), cmp.Or(h.Most, 1024))], nil
}

// The limits of prefixes: longer words are never whole.
const (
	maxPrefixes = 1 << 14
	longest     = 254 // halves of bytes
)

var errPrefixes = errors.New("the list of prefixes is malformed")

// readPrefixes reads the halves of each prefix: their number, and a byte for each.
func readPrefixes(b []byte) (list [][]byte, err error) {
	for len(b) > 0 {
		n := int(b[0])
		if n > longest || len(b) < 1+n || len(list) == maxPrefixes {
			return nil, errPrefixes
		}
		p := b[1 : 1+n]
		if slices.ContainsFunc(p, func(half byte) bool { return half > 0xf }) {
			return nil, errPrefixes
		}
		list, b = append(list, p), b[1+n:]
	}
	return list, nil
}

func vector(b []byte) tensor.Dense[uint8] { return tensor.DenseOf(b, len(b)) }

package cut

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/component/dp/accountant"
)

// Privacy is the limit for a program's privacy loss.
type Privacy struct {
	Most   float64 // ε; 0: no limit
	Delta  float64
	Rounds int // the number of rounds, if the program does not specify it
}

// Add declares the flags on a command.
func (l *Privacy) Add(cmd *cobra.Command) {
	cmd.Flags().Var((*bound)(&l.Most), "epsilon", "fail when what a program shows of a single peer is worth more than this `number`, an ε of differential privacy")
	cmd.Flags().Float64Var(&l.Delta, "delta", 1e-5, "the `number` δ for --epsilon: less than one divided by the number of peers")
	cmd.Flags().IntVar(&l.Rounds, "rounds", 0, "for --epsilon: how `many` executions there are, where the program does not say")
}

// bound is a flag with a limit: what is no number above 0 would let everything pass.
type bound float64

func (b *bound) Set(s string) error {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%q is no finite number above 0", s)
	}
	*b = bound(v)
	return nil
}

func (b *bound) String() string { return strconv.FormatFloat(float64(*b), 'g', -1, 64) }

func (b *bound) Type() string { return "float" }

// Spent is the total privacy loss of a program for a single peer.
type Spent struct {
	Delta   float64  `json:"delta"`
	Epsilon *float64 `json:"epsilon"` // from the distribution of the privacy loss; nil: unbounded
	RDP     *float64 `json:"rdp_epsilon"`
	Noises  []Noise  `json:"noises"`
}

// Noise is the noise that one call adds.
type Noise struct {
	Slot     string  `json:"slot"`
	Multiple float64 `json:"multiple"`
	Sampling float64 `json:"sampling"`
	Rounds   int     `json:"rounds"`
	Repeats  bool    `json:"repeats,omitempty"` // repeated rounds count, too
}

// Spent computes the privacy loss of a program with so many peers of each class, or one.
func (l *Privacy) Spent(p *partitioner.Program, peers map[string]int) (*Spent, error) {
	s := &Spent{Delta: l.Delta}
	for _, n := range partitioner.Noises(p, peers) {
		name, rounds := n.Class+"."+n.Slot, cmp.Or(n.Rounds, l.Rounds)
		if rounds <= 0 {
			return nil, fmt.Errorf("%s adds noise in as many executions as its host begins: say with --rounds N how many there are", name)
		}
		s.Noises = append(s.Noises, Noise{name, n.Multiple, n.Sampling, rounds, n.Repeats})
	}
	if len(s.Noises) == 0 {
		return s, nil
	}
	rdp, err := accountant.RDP(l.Delta, s.mechanisms(1)...)
	if err != nil {
		return nil, cli.Usagef("--delta: %w", err)
	}
	s.RDP, s.Epsilon = finite(rdp), finite(rdp)
	if pld, err := accountant.PLD(l.Delta, s.mechanisms(1)...); err == nil {
		s.Epsilon = finite(min(rdp, pld))
	}
	return s, nil
}

// mechanisms returns the noises with their strength multiplied by times.
func (s *Spent) mechanisms(times float64) (list []accountant.Mechanism) {
	for _, n := range s.Noises {
		list = append(list, accountant.Mechanism{Noise: times * n.Multiple, Sampling: n.Sampling, Rounds: n.Rounds})
	}
	return list
}

// finite returns nil for values that JSON cannot represent.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Print prints the result as a table.
func (s *Spent) Print(w io.Writer) {
	if len(s.Noises) == 0 {
		fmt.Fprintln(w, "privacy: nothing adds noise")
		return
	}
	table, repeats := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), false
	fmt.Fprintln(table, "noise of\tmultiple\tsampling\trounds")
	for _, n := range s.Noises {
		fmt.Fprintf(table, "%s\t%v\t%v\t%d\n", n.Slot, n.Multiple, n.Sampling, n.Rounds)
		repeats = repeats || n.Repeats
	}
	table.Flush()
	fmt.Fprintf(w, "privacy: epsilon %s at delta %v (%s by RDP)\n", number(s.Epsilon), s.Delta, number(s.RDP))
	if repeats {
		fmt.Fprintln(w, "(a round that is repeated counts once more)")
	}
}

func number(x *float64) string {
	if x == nil {
		return "without bound"
	}
	return fmt.Sprintf("%.3g", *x)
}

// Check returns an error if the program in input exceeds the limit, and suggests a change.
func (l *Privacy) Check(input string, s *Spent) error {
	switch {
	case l.Most <= 0 || s.Epsilon != nil && *s.Epsilon <= l.Most:
		return nil
	case len(s.Noises) == 0:
		return fmt.Errorf("%s: nothing adds noise, so that epsilon has no bound, where at most %v is allowed: put a dp.Average in an aggregator's slot, or a dp.Local in a component's", input, l.Most)
	case s.Epsilon == nil:
		return fmt.Errorf("%s: the noise of %s is 0, so that epsilon has no bound, where at most %v is allowed: set Noise", input, s.silent(), l.Most)
	}
	return fmt.Errorf("%s: epsilon is %s at delta %v, more than the limit of %v: %w", input, number(s.Epsilon), s.Delta, l.Most, l.change(s))
}

// silent returns a slot that adds no noise.
func (s *Spent) silent() string {
	for _, n := range s.Noises {
		if n.Multiple == 0 {
			return n.Slot
		}
	}
	return s.Noises[0].Slot
}

// change returns an error that suggests more noise, or fewer rounds, to meet the limit.
func (l *Privacy) change(s *Spent) error {
	low, high := 1.0, 2.0
	enough := func(times float64) bool {
		e, err := accountant.RDP(l.Delta, s.mechanisms(times)...)
		return err == nil && e <= l.Most
	}
	for ; !enough(high); low, high = high, 2*high {
		if high > 1e6 {
			return errors.New("no noise is enough")
		}
	}
	for high-low > 0.01*high {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	var said []string
	for _, n := range s.Noises {
		said = append(said, fmt.Sprintf("%.3g for %s in place of %v", 1.005*high*n.Multiple, n.Slot, n.Multiple))
	}
	return fmt.Errorf("set Noise to %s, or have fewer rounds", strings.Join(said, ", "))
}

// Guard returns a function that checks a program read from input, with so many peers of each class, before code is
// generated. It returns nil if there is no limit.
func (l *Privacy) Guard(input string, peers map[string]int) func(*partitioner.Program) error {
	if l.Most <= 0 {
		return nil
	}
	return func(p *partitioner.Program) error {
		s, err := l.Spent(p, peers)
		if err != nil {
			return err
		}
		return l.Check(input, s)
	}
}

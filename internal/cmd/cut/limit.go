package cut

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/partitioner"
)

// Limit is the limit for the traffic of a round.
type Limit struct {
	Most  cli.Bytes // 0: none
	Peers map[string]int
}

// Add declares the flags on a command.
func (l *Limit) Add(cmd *cobra.Command) {
	cmd.Flags().Var(&l.Most, "limit", "fail when a round of a distributed program sends more than this, as in 10MB")
	cli.Sizes(cmd.Flags(), &l.Peers, "peers", "for --limit and --epsilon: the `numbers` of peers of each class, as in client=8 (default 1)")
}

// Cost estimates the traffic of a round of a program, from its edge table and the model files that it names,
// which are in dir. Unknown lists the models with an assumed number of parameters.
func (l *Limit) Cost(f *Flags, p *partitioner.Program, dir string) (c *partitioner.Cost, unknown []string) {
	known, likely, unknown := partitioner.ParameterSizes(p, f.Assume, func(p *partitioner.Partition, s *partitioner.Slot) (int, error) {
		return bbgen.SlotParameters(p, s, dir)
	})
	return partitioner.Estimate(p, partitioner.CostOptions{Sizes: f.Assume, Known: known, Likely: likely, Peers: l.Peers, Bandwidth: float64(f.Bandwidth), Latency: f.Latency}), unknown
}

// Check returns an error if a round of the program in input exceeds the limit.
func (l *Limit) Check(input string, c *partitioner.Cost) error {
	if most := int64(l.Most); most > 0 && c.Bytes > most {
		return fmt.Errorf("%s: a round sends %s, more than the limit of %s", input, partitioner.Bytes(c.Bytes), partitioner.Bytes(most))
	}
	return nil
}

// Guard returns a function that checks a program read from input before code is generated. Its model files
// are in dir. It returns nil if there is no limit.
func (l *Limit) Guard(input, dir string, f *Flags) func(*partitioner.Program) error {
	if l.Most <= 0 {
		return nil
	}
	return func(p *partitioner.Program) error {
		c, _ := l.Cost(f, p, dir)
		return l.Check(input, c)
	}
}

// All returns a function that calls all guards that are not nil, in order. It returns nil if all are nil.
func All(guards ...func(*partitioner.Program) error) func(*partitioner.Program) error {
	guards = slices.DeleteFunc(guards, func(g func(*partitioner.Program) error) bool { return g == nil })
	if len(guards) == 0 {
		return nil
	}
	return func(p *partitioner.Program) error {
		for _, g := range guards {
			if err := g(p); err != nil {
				return err
			}
		}
		return nil
	}
}

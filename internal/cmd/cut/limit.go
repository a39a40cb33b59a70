package cut

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/partitioner"
)

// Limit is how much a round may send.
type Limit struct {
	Most  cli.Bytes // 0: none
	Peers map[string]int
}

// Add declares the flags on a command.
func (l *Limit) Add(cmd *cobra.Command) {
	cmd.Flags().Var(&l.Most, "limit", "fail when a round of a distributed program sends more than this, as in 10MB")
	cli.Sizes(cmd.Flags(), &l.Peers, "peers", "for --limit: the `numbers` of peers of each class, as in client=8 (default 1)")
}

// Cost is what a round of a program sends, from its edge table.
func (l *Limit) Cost(f *Flags, p *partitioner.Program) *partitioner.Cost {
	return partitioner.Estimate(p, partitioner.CostOptions{Sizes: f.Assume, Peers: l.Peers, Bandwidth: float64(f.Bandwidth), Latency: f.Latency})
}

// Check fails if a round of what was read from input sends too much.
func (l *Limit) Check(input string, c *partitioner.Cost) error {
	if most := int64(l.Most); most > 0 && c.Bytes > most {
		return fmt.Errorf("%s: a round sends %s, more than the limit of %s", input, partitioner.Bytes(c.Bytes), partitioner.Bytes(most))
	}
	return nil
}

// Guard is what asks, before code is made of a program that was read from input,
// whether it may be.
func (l *Limit) Guard(input string, f *Flags) func(*partitioner.Program) error {
	return func(p *partitioner.Program) error { return l.Check(input, l.Cost(f, p)) }
}

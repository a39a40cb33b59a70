package cut

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/partitioner"
)

// Limit is how much a round may send.
type Limit struct {
	Most  string
	Peers map[string]int
}

// Add declares the flags on a command.
func (l *Limit) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.Most, "limit", "", "fail when a round of a distributed program sends more than this, as in 10MB")
	cmd.Flags().StringToIntVar(&l.Peers, "peers", nil, "how many peers there are of each class, as in client=8 (default 1): for --limit")
}

// Cost is what a round of a program sends, from its edge table.
func (l *Limit) Cost(f *Flags, p *partitioner.Program) (*partitioner.Cost, error) {
	rate, err := Rate(f.Bandwidth)
	if err != nil {
		return nil, err
	}
	return partitioner.Estimate(p, partitioner.CostOptions{Sizes: f.Assume, Peers: l.Peers, Bandwidth: rate, Latency: f.Latency}), nil
}

// Check fails if a round of what was read from input sends too much.
func (l *Limit) Check(input string, c *partitioner.Cost) error {
	most, err := Rate(l.Most)
	if err != nil {
		return err
	}
	if most > 0 && float64(c.Bytes) > most {
		return fmt.Errorf("%s: a round sends %s, more than the limit of %s", input, partitioner.Bytes(c.Bytes), partitioner.Bytes(int64(most)))
	}
	return nil
}

// Guard is what asks, before code is made of a program that was read from input,
// whether it may be.
func (l *Limit) Guard(input string, f *Flags) func(*partitioner.Program) error {
	return func(p *partitioner.Program) error {
		c, err := l.Cost(f, p)
		if err != nil {
			return err
		}
		return l.Check(input, c)
	}
}

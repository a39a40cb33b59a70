// Package cut contains the common flags of commands that cut programs, or plain models, at network edges.
package cut

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// Flags configure how a plain model is cut into stages, and the assumptions about the network.
type Flags struct {
	Stages    int // 0: do not cut
	Names     []string
	Assume    map[string]int
	Memory    cli.Bytes
	Bandwidth cli.Rate
	Latency   time.Duration

	none func() bool // whether --split 0 was given
}

// Add declares the flags on a command.
func (f *Flags) Add(cmd *cobra.Command) {
	f.none = func() bool { return f.Stages == 0 && cmd.Flags().Changed("split") }
	cmd.Flags().IntVar(&f.Stages, "split", 0, "cut a plain model into this many `stages`, a pipeline of peers")
	cmd.Flags().StringSliceVar(&f.Names, "stage-names", nil, "the stages' `classes`, as in front,middle,back")
	cli.Sizes(cmd.Flags(), &f.Assume, "assume", "the `sizes` to weigh stages and edges with where dimensions are symbolic, as in batch=1,seq=128")
	cmd.Flags().Var(&f.Memory, "stage-memory", "how much weights and values of one stage may take, as in 512MiB")
	cmd.Flags().Var(&f.Bandwidth, "bandwidth", "of the network between peers, as in 100Mbit or 10MB a second (default 1Gbit)")
	cmd.Flags().DurationVar(&f.Latency, "latency", 0, "of the network between peers (default 1ms)")
}

// Split returns the options for splitting a plain model, or nil.
func (f *Flags) Split() (*partitioner.SplitOptions, error) {
	switch {
	case f.Latency < 0:
		return nil, cli.Usagef("--latency is %v, want 0 or more", f.Latency)
	case f.none != nil && f.none():
		return nil, cli.Usagef("--split is 0, want 2 or more")
	case f.Stages == 0 && (f.Names != nil || f.Memory > 0):
		return nil, cli.Usagef("--stage-names and --stage-memory are of stages: say with --split N how many there are")
	case f.Stages == 0:
		return nil, nil
	case f.Stages < 2:
		return nil, cli.Usagef("--split is %d, want 2 or more", f.Stages)
	case len(f.Names) > f.Stages:
		return nil, cli.Usagef("--stage-names has %d names for %d stages", len(f.Names), f.Stages)
	}
	return &partitioner.SplitOptions{Stages: f.Stages, Names: f.Names, Sizes: f.Assume, Bandwidth: float64(f.Bandwidth), PeerMemory: int64(f.Memory)}, nil
}

// NotCut returns the error for a plain model without --split.
func NotCut(file string) error {
	return cli.Usagef("%s is a plain model, which one peer runs: say with --split N into how many stages it is cut", file)
}

// Program cuts m. It writes the table of a split to w.
func (f *Flags) Program(m *ir.Module, bind map[string]int, w io.Writer) (*partitioner.Program, error) {
	split, err := f.Split()
	if err != nil {
		return nil, err
	}
	if split == nil && !artifact.IsProgram(m) {
		return nil, NotCut(m.File)
	}
	r, err := bbgen.Compile(m, bbgen.Config{Bind: bind, Cut: &bbgen.Cut{Split: split, Unbound: true}})
	if err != nil {
		return nil, err
	}
	if r.Stages != nil {
		fmt.Fprintln(w, r.Stages)
	}
	return r.Program, nil
}

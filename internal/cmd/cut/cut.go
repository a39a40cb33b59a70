// Package cut holds what the verbs share that cut programs, or plain models, at
// network edges.
package cut

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/record"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// Flags say how a plain model is cut into stages, and what is assumed of the
// network.
type Flags struct {
	Stages    int
	Names     []string
	Assume    map[string]int
	Memory    string
	Bandwidth string
	Latency   time.Duration
}

// Add declares the flags on a command.
func (f *Flags) Add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.Stages, "split", 0, "cut a plain model into this many `stages`, a pipeline of peers")
	cmd.Flags().StringSliceVar(&f.Names, "stage-names", nil, "the stages' classes, as in front,middle,back")
	cmd.Flags().StringToIntVar(&f.Assume, "assume", nil, "the sizes to weigh stages and edges with where dimensions are symbolic, as in batch=1,seq=128")
	cmd.Flags().StringVar(&f.Memory, "stage-memory", "", "how much weights and values of one stage may take, as in 512MiB")
	cmd.Flags().StringVar(&f.Bandwidth, "bandwidth", "", "of the network between peers, as in 100Mbit or 10MB a second (default 1Gbit)")
	cmd.Flags().DurationVar(&f.Latency, "latency", 0, "of the network between peers (default 1ms)")
}

// Split is how a plain model is split, nil if it is not.
func (f *Flags) Split() (*partitioner.SplitOptions, error) {
	rate, err := Rate(f.Bandwidth)
	if err != nil || f.Stages == 0 {
		return nil, err
	}
	memory, err := Rate(f.Memory)
	if err != nil {
		return nil, err
	}
	if f.Stages < 2 {
		return nil, cli.Usagef("--split is %d, want 2 or more", f.Stages)
	}
	if len(f.Names) > f.Stages {
		return nil, cli.Usagef("--stage-names has %d names for %d stages", len(f.Names), f.Stages)
	}
	return &partitioner.SplitOptions{Stages: f.Stages, Names: f.Names, Sizes: f.Assume, Bandwidth: rate, PeerMemory: int64(memory)}, nil
}

// Print prints how a program, or a plain model that is split, is cut.
func (f *Flags) Print(cmd *cobra.Command, input string, bind map[string]int) error {
	in, err := record.Read(cmd.Context(), input)
	if err != nil {
		return err
	}
	p, err := f.Program(in.Module, bind, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), partitioner.Print(p))
	return err
}

// Program cuts m. The table of a split is written to w.
func (f *Flags) Program(m *ir.Module, bind map[string]int, w io.Writer) (*partitioner.Program, error) {
	split, err := f.Split()
	if err != nil {
		return nil, err
	}
	if split == nil && !record.IsProgram(m) {
		return nil, cli.Usagef("%s is a plain model, which one peer runs: say with --split N into how many stages it is cut", m.File)
	}
	return bbgen.CutProgram(m, bbgen.ProgramOptions{
		Options: bbgen.Options{Bind: bind},
		Cut:     partitioner.Options{Unbound: true},
		Split:   split,
		Table:   func(s *partitioner.Stages) { fmt.Fprintln(w, s) },
	})
}

// units of a rate in bytes a second, the longest first.
var units = []struct {
	suffix string
	bytes  float64
}{
	{"gbit", 1e9 / 8}, {"mbit", 1e6 / 8}, {"kbit", 1e3 / 8}, {"bit", 1.0 / 8},
	{"gib", 1 << 30}, {"mib", 1 << 20}, {"kib", 1 << 10}, {"gb", 1e9}, {"mb", 1e6}, {"kb", 1e3}, {"b", 1},
}

// Rate reads a number of bytes, or of bytes a second: 100Mbit, 10MB, 64KiB. The
// empty text is 0.
func Rate(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	s := strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(text, " ", "")), "/s")
	for _, u := range units {
		if number, ok := strings.CutSuffix(s, u.suffix); ok {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil || !(n > 0) || n > 1e18 {
				break
			}
			return n * u.bytes, nil
		}
	}
	return 0, cli.Usagef("%q is no amount of data: want a number and a unit, as in 100Mbit, 10MB or 64KiB", text)
}

// Package cost implements bbgen cost, which estimates the traffic of a round of a program.
package cost

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/cut"
	"github.com/bbgen/bbgen/internal/record"
	"github.com/bbgen/bbgen/partitioner"
)

// Command returns the command bbgen cost.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cost INPUT",
		Short: "say what a round of a program sends, and how long that takes",
		Long: `Cost cuts a program, or with --split a plain model, and says from its edge table
how many bytes a round sends on each link, how many of them no encoding of the
values saves, and how long sending takes. The ONNX file
in a slot gives the number of parameters; sizes that are not given are assumed, and listed. With
--privacy it says what all rounds together show of a single peer, by the noise
that components add (package dp). It exits with 1 when a round sends more than
--limit, or when more than --epsilon is shown.`,
		Example: `  bbgen cost fedavg.pb --peers client=8 --bandwidth 100Mbit --latency 20ms
  bbgen cost model.onnx --split 3 --limit 10MB
  bbgen cost ./private --privacy --delta 1e-6 --epsilon 8
  bbgen cost model.onnx --split 3 --json | jq .links`,
		Args: cli.One("INPUT", "a model or a program"),
	}
	var e estimate
	e.cut.Add(cmd)
	e.limit.Add(cmd)
	e.privacy.Add(cmd)
	cmd.Flags().BoolVar(&e.spent, "privacy", false, "say what the program shows of a single peer, as ε of differential privacy")
	cli.Bind(cmd.Flags(), &e.bind)
	cmd.Flags().BoolVar(&e.asJSON, "json", false, "print JSON")
	cmd.RunE = e.run
	return cmd
}

// estimate holds the flags.
type estimate struct {
	cut     cut.Flags
	limit   cut.Limit
	privacy cut.Privacy
	spent   bool // the privacy is wanted
	bind    map[string]int
	asJSON  bool
}

// run prints the estimate of a program, and returns an error if it is beyond a limit.
func (e *estimate) run(cmd *cobra.Command, args []string) error {
	table := cmd.OutOrStdout()
	if e.asJSON {
		table = io.Discard
	}
	in, err := record.Read(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	p, err := e.cut.Program(in.Module, e.bind, table)
	if err != nil {
		return err
	}
	c, unknown := e.limit.Cost(&e.cut, p, in.Dir)
	all := &costs{Cost: c}
	if e.spent || e.privacy.Most > 0 {
		if all.Privacy, err = e.privacy.Spent(p, e.limit.Peers); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
	}
	if err := all.show(cmd.OutOrStdout(), unknown, e.asJSON); err != nil {
		return err
	}
	if all.Privacy != nil {
		if err := e.privacy.Check(args[0], all.Privacy); err != nil {
			return err
		}
	}
	return e.limit.Check(args[0], c)
}

// costs is the result of bbgen cost.
type costs struct {
	*partitioner.Cost
	Privacy *cut.Spent `json:"privacy,omitempty"`
}

func (c *costs) show(w io.Writer, unknown []string, asJSON bool) error {
	if !asJSON {
		fmt.Fprint(w, c.Cost)
		if len(c.Assumed) > 0 {
			fmt.Fprintln(w, "(say with --assume what these sizes are)")
		}
		for _, line := range unknown {
			fmt.Fprintln(w, line)
		}
		if c.Privacy != nil {
			fmt.Fprintln(w)
			c.Privacy.Print(w)
		}
		return nil
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(c)
}

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
	var flags cut.Flags
	flags.Add(cmd)
	var limit cut.Limit
	limit.Add(cmd)
	var privacy cut.Privacy
	privacy.Add(cmd)
	spent := cmd.Flags().Bool("privacy", false, "say what the program shows of a single peer, as ε of differential privacy")
	var bind map[string]int
	cli.Bind(cmd.Flags(), &bind)
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		table := cmd.OutOrStdout()
		if *asJSON {
			table = io.Discard
		}
		in, err := record.Read(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		p, err := flags.Program(in.Module, bind, table)
		if err != nil {
			return err
		}
		c, unknown := limit.Cost(&flags, p, in.Dir)
		all := &costs{Cost: c}
		if *spent || privacy.Most > 0 {
			if all.Privacy, err = privacy.Spent(p); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
		}
		if err := all.show(cmd.OutOrStdout(), unknown, *asJSON); err != nil {
			return err
		}
		if all.Privacy != nil {
			if err := privacy.Check(args[0], all.Privacy); err != nil {
				return err
			}
		}
		return limit.Check(args[0], c)
	}
	return cmd
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

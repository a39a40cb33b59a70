// Package cost is the verb that says what a round of a program sends.
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

// Command is bbgen cost.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cost INPUT",
		Short: "say what a round of a program sends, and how long that takes",
		Long: `Cost cuts a program, or with --split a plain model, and says from its edge table
alone how many bytes a round sends on each link, how many of them no encoding of
the values saves, and how long sending takes. It exits with 1 when a round sends
more than --limit.`,
		Example: `  bbgen cost fedavg.pb --peers client=8 --bandwidth 100Mbit --latency 20ms
  bbgen cost model.onnx --split 3 --limit 10MB
  bbgen cost model.onnx --split 3 --json | jq .links`,
		Args: cli.Args(cobra.ExactArgs(1)),
	}
	var flags cut.Flags
	flags.Add(cmd)
	bind := cmd.Flags().StringToInt("bind", nil, "fix symbolic dimensions, as in batch=1,seq=128")
	peers := cmd.Flags().StringToInt("peers", nil, "how many peers there are of each class, as in client=8 (default 1)")
	limit := cmd.Flags().String("limit", "", "fail when a round sends more than this, as in 10MB")
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		most, err := cut.Rate(*limit)
		if err != nil {
			return err
		}
		rate, err := cut.Rate(flags.Bandwidth)
		if err != nil {
			return err
		}
		table := cmd.OutOrStdout()
		if *asJSON {
			table = io.Discard
		}
		in, err := record.Read(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		p, err := flags.Program(in.Module, *bind, table)
		if err != nil {
			return err
		}
		c := partitioner.Estimate(p, partitioner.CostOptions{Sizes: flags.Assume, Peers: *peers, Bandwidth: rate, Latency: flags.Latency})
		if err := show(cmd.OutOrStdout(), c, *asJSON); err != nil {
			return err
		}
		if most > 0 && float64(c.Bytes) > most {
			return fmt.Errorf("%s: a round sends %s, more than the limit of %s", args[0], partitioner.Bytes(c.Bytes), partitioner.Bytes(int64(most)))
		}
		return nil
	}
	return cmd
}

func show(w io.Writer, c *partitioner.Cost, asJSON bool) error {
	if !asJSON {
		_, err := fmt.Fprint(w, c)
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(c)
}

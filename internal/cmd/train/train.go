// Package train is the verb that trains a model.
package train

import (
	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
)

// Command is bbgen train.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "train --replay CASE_DIR -o OUT",
		Short: "train a model",
		Long: `Train with --replay trains the model of a recorded case on the case's batches and
writes the losses, the gradients of the first step and the final weights.`,
		Example: `  bbgen train --replay cases/mlp_adam -o out`,
		Args:    cli.Args(cobra.NoArgs),
	}
	dir := cmd.Flags().String("replay", "", "the `folder` of a recorded case")
	out := cmd.Flags().StringP("output", "o", "", "the `folder` to write to")
	quiet := cmd.Flags().BoolP("quiet", "q", false, "show no progress")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *dir == "" || *out == "" {
			return cli.Usagef("what, and where to? give --replay CASE_DIR -o OUT")
		}
		p := cli.NewProgress(cmd.ErrOrStderr(), *quiet, false)
		defer p.Done()
		return replay(*dir, *out, p)
	}
	return cmd
}

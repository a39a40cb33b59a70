// Package record implements bbgen record, which writes the artifact of a distributed program.
package record

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/record"
	"github.com/bbgen/bbgen/runtime/host/disk"
)

// Command returns the command bbgen record.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record PACKAGE -o FILE",
		Short: "record the distributed program in a Go package as an ONNX model",
		Long: `Record runs what a Go package says with bbgen/dsl, and writes the program as an
ONNX model: an artifact that every machine can compile, with or without the
author's sources of the modules. The package has a function

	func Program() dsl.Program

or, if all of its exported modules make the program as they are, none.`,
		Example: `  bbgen record ./fedavg -o fedavg.pb
  bbgen inspect fedavg.pb`,
		Args: cli.One("PACKAGE", "the folder of a Go package"),
	}
	out := cmd.Flags().StringP("output", "o", "", "the `file` to write")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case *out == "":
			return cli.Usagef("where to? give -o FILE")
		case !record.IsPackage(args[0]):
			return cli.Usagef("%s is not the folder of a Go package", args[0])
		}
		a, err := record.Package(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if err := disk.Replace(*out, a.Model, 0o666); err != nil {
			return fmt.Errorf("the artifact: %w", err)
		}
		return nil
	}
	return cmd
}

// Package export is the verb that puts trained weights into the ONNX file that
// they were trained from.
package export

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/runtime/tensor/safetensors"
)

// Command is bbgen export.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export MODEL --weights FILE -o OUT",
		Short: "put trained weights into an ONNX file",
		Long: `Export writes MODEL with the weights of a safetensors file, such as a training
peer writes, in place of its own of the same names. Types and shapes must agree.
What the training did to features before the model read them, --mean and --std, becomes
part of OUT; names of classes and columns become metadata, bbgen.classes and
bbgen.columns. All else of the file stays as it is, byte for byte.`,
		Example: `  bbgen export digits.onnx --weights best.safetensors -o trained.onnx`,
		Args:    cli.One("MODEL", "an ONNX file"),
	}
	weights := cmd.Flags().String("weights", "", "the safetensors `file`")
	out := cmd.Flags().StringP("output", "o", "", "the `file` to write")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *weights == "" || *out == "" {
			return cli.Usagef("which weights, and where to? give --weights FILE -o OUT")
		}
		return Weights(args[0], *weights, *out)
	}
	return cmd
}

// Weights writes a model to out with the weights of a safetensors file.
func Weights(model, weights, out string) error {
	b, err := os.ReadFile(model)
	if err != nil {
		return err
	}
	f, err := os.Open(weights)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	file, err := safetensors.Read(f, st.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", weights, err)
	}
	b, external, err := onnx.ReplaceWeights(b, file.Tensors)
	if err != nil {
		return fmt.Errorf("%s, %s:\n%w", model, weights, err)
	}
	if len(external) > 0 && !sameFolder(model, out) {
		return fmt.Errorf("%s needs %s beside it: write %s to the same folder", model, strings.Join(external, ", "), filepath.Base(out))
	}
	if b, err = describe(b, file.Metadata); err != nil {
		return fmt.Errorf("%s, %s: %w", model, weights, err)
	}
	return replace(out, b)
}

func sameFolder(a, b string) bool {
	a, errA := filepath.Abs(filepath.Dir(a))
	b, errB := filepath.Abs(filepath.Dir(b))
	return errA == nil && errB == nil && a == b
}

// replace writes a file beside the one that it replaces, which may be the model
// itself, and moves it there.
func replace(name string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	tmp := name + ".tmp"
	if err := os.WriteFile(tmp, b, 0o666); err != nil {
		return err
	}
	if err := os.Rename(tmp, name); err != nil {
		os.Remove(tmp)
		return err
	}
	return nil
}

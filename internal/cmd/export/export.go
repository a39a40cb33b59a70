// Package export implements bbgen export, which writes trained weights into the ONNX file of their model.
package export

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/tensor/safetensors"
)

// Command returns the command bbgen export.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export MODEL|PEERS [--weights FILE] [--inference] -o OUT",
		Short: "put trained weights into an ONNX file, or convert it to inference",
		Long: `Export writes MODEL with the weights of a safetensors file, such as a training
peer writes, in place of its own of the same names. Types and shapes must agree.
What the training did to features before the model read them, --mean and --std, becomes
part of OUT; names of classes and columns and the loss become metadata, bbgen.classes,
bbgen.columns, bbgen.loss and bbgen.label. All else of the file stays as it is, byte for byte.

FILE may also be an .npy vector, as peers of a distributed program give a model to their
host. PEERS is the folder that bbgen wrote for the program: it knows the model and the
order of its weights. With MODEL the order is that of a model all of which is trained.
OUT may be MODEL: it is replaced when all of OUT is written.

A model that PyTorch exports in training mode drops elements and uses the statistics of
each batch, also after it was trained. With --inference, OUT is for inference: a Dropout
drops nothing, and a BatchNormalization uses the statistics of the training.`,
		Example: `  bbgen export digits.onnx --weights best.safetensors -o trained.onnx
  bbgen export fedavg/peer --weights results/server-0/model-21.npy -o trained.onnx
  bbgen export trained.onnx --inference -o digits.onnx`,
		Args: cli.One("MODEL", "an ONNX file, or the folder of a program's peers"),
	}
	weights := cmd.Flags().String("weights", "", "the safetensors or .npy `file`")
	out := cmd.Flags().StringP("output", "o", "", "the `file` to write")
	inference := cmd.Flags().Bool("inference", false, "convert nodes that compute as in training")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *weights == "" && !*inference || *out == "" {
			return cli.Usagef("which weights, and where to? give --weights FILE -o OUT, or --inference -o OUT")
		}
		if err := cli.CheckOutput("-o", *out, *weights); err != nil {
			return err
		}
		inPlace := sameFile(args[0], *out)
		if err := write(args[0], *weights, *out, *inference); err != nil {
			return err
		}
		if inPlace {
			fmt.Fprintf(cmd.ErrOrStderr(), "replaced the input %s\n", *out)
		}
		return nil
	}
	return cmd
}

// sameFile reports whether two names are those of one file.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// write writes a model to out, with weights if there are some.
func write(model, weights, out string, inference bool) error {
	if weights == "" {
		return forInference(model, out)
	}
	return Weights(model, weights, out, Options{Inference: inference})
}

// forInference writes a model to out, without nodes that compute as in training.
func forInference(model, out string) error {
	b, err := os.ReadFile(model)
	if err != nil {
		return err
	}
	_, external, err := onnx.ReplaceWeights(b, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", model, err)
	}
	if err := beside(model, out, external); err != nil {
		return err
	}
	if b, _, err = onnx.ForInference(b); err != nil {
		return fmt.Errorf("%s: %w", model, err)
	}
	return disk.Replace(out, b, 0o666)
}

// beside refuses to write a model into another folder than that of its external data.
func beside(model, out string, external []string) error {
	if len(external) == 0 || sameFolder(model, out) {
		return nil
	}
	return fmt.Errorf("%s needs %s beside it: write %s to the same folder", model, strings.Join(external, ", "), filepath.Base(out))
}

// Options are options of [Weights].
type Options struct {
	Metadata  map[string]string // more metadata of the written model
	Inference bool              // nodes that compute as in training are converted
}

// Weights writes a model to out, with the weights of a safetensors file or of a vector learned by peers. For
// a vector, the model may be the folder of the peers.
func Weights(model, weights, out string, o Options) error {
	if strings.HasSuffix(weights, ".npy") {
		return vector(model, weights, out, o)
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
	return put(model, weights, file, out, o)
}

// put writes a model with the tensors of a weights file.
func put(model, weights string, file *safetensors.File, out string, o Options) error {
	b, err := os.ReadFile(model)
	if err != nil {
		return err
	}
	b, external, err := onnx.ReplaceWeights(b, file.Tensors)
	if err != nil {
		return fmt.Errorf("%s, %s:\n%w", model, weights, err)
	}
	if err := beside(model, out, external); err != nil {
		return err
	}
	if b, err = describe(b, file.Metadata); err != nil {
		return fmt.Errorf("%s, %s: %w", model, weights, err)
	}
	if len(o.Metadata) > 0 {
		if b, err = onnx.SetMetadata(b, o.Metadata); err != nil {
			return fmt.Errorf("%s: %w", model, err)
		}
	}
	if o.Inference {
		if b, _, err = onnx.ForInference(b); err != nil {
			return fmt.Errorf("%s: %w", model, err)
		}
	}
	return disk.Replace(out, b, 0o666)
}

func sameFolder(a, b string) bool {
	a, errA := filepath.Abs(filepath.Dir(a))
	b, errB := filepath.Abs(filepath.Dir(b))
	return errA == nil && errB == nil && a == b
}

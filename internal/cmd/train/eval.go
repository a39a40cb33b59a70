package train

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/project"
)

// evalFlags are the flags of a training peer for evaluation.
var evalFlags = []string{"format", "label", "columns", "categories", "missing", "mean", "std", "batch", "threads", "json"}

// EvalCommand returns the command bbgen eval.
func EvalCommand() *cobra.Command { return newEvaluation().cmd }

// newEvaluation returns the job of bbgen eval.
func newEvaluation() *job {
	cmd := &cobra.Command{
		Use:   "eval MODEL --data DIR",
		Short: "say how good a model is",
		Long: `Eval compiles a model with a loss and prints the loss, and the accuracy of a
classifier, on the part of the data that is for validation or test, or else on all.
It changes nothing. Data are read as bbgen train reads them: --mean and --std are for
a model that does not normalize its input itself. The loss is that with which bbgen
train trained the model, and the columns and the label's are those that it learned
from.`,
		Example: `  bbgen eval trained.onnx --data digits
  bbgen eval trained.onnx --data flowers.csv --json`,
		Args: cli.One("MODEL", "an ONNX file"),
	}
	j := &job{cmd: cmd, how: how{optimizer: "sgd", precision: "float32", accumulate: 1}}
	j.how.addLoss(cmd.Flags())
	completeLoss(cmd)
	j.addFlags(func(name string) bool { return slices.Contains(evalFlags, name) })
	cmd.Flags().StringVar(&j.data, "data", "", "the `folder or file` to judge it by, or digits: 5,000 rendered ones")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if j.data == "" {
			return cli.Usagef("what to judge it by? give --data DIR")
		}
		j.progress = cli.NewProgress(cmd.ErrOrStderr(), false, false)
		defer j.progress.Done()
		j.model = args[0]
		return j.eval()
	}
	return j
}

// eval builds the peer and runs it to evaluate the model.
func (j *job) eval() error {
	tmp, remove, err := project.TempDir("", "bbgen-eval-*")
	if err != nil {
		return err
	}
	defer remove()
	if err := j.follow(); err != nil {
		return err
	}
	from, without, err := j.source(tmp)
	if err != nil {
		return err
	}
	bin, err := j.build(tmp)
	if err != nil {
		return err
	}
	args := []string{"-data", from, "-eval", "-until-eof", "-checkpoint", filepath.Join(tmp, "checkpoint")}
	j.cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(j.passed, f.Name) && !slices.Contains(without, f.Name) {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	j.progress.Done()
	return j.runPeer(bin, args)
}

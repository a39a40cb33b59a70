package train

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/ir"
)

// TestLossMetadata: an evaluation uses the loss with which the model was trained, and what the user says otherwise.
func TestLossMetadata(t *testing.T) {
	for _, c := range []struct {
		name     string
		trained  []string          // flags of the training
		meta     string            // in place of what the training writes
		evaluate []string          // flags of the evaluation
		want     map[string]string // the evaluation's flags
		err      string
	}{
		{"by default", nil, "", nil, map[string]string{"loss": "cross_entropy", "ignore": "-100"}, ""},
		{"another loss", []string{"--loss", "huber", "--delta", "2", "--bind", "n=4"}, "", nil, map[string]string{"loss": "huber", "delta": "2"}, ""},
		{"a negative setting", []string{"--class-axis", "-1", "--ignore", "-1"}, "", nil, map[string]string{"loss": "cross_entropy", "class-axis": "-1", "ignore": "-1"}, ""},
		{"another setting", []string{"--loss", "huber", "--delta", "2"}, "", []string{"--delta", "3"}, map[string]string{"loss": "huber", "delta": "3"}, ""},
		{"the user's loss", []string{"--loss", "huber", "--delta", "2"}, "", []string{"--loss", "mse"}, map[string]string{"loss": "mse", "delta": "0"}, ""},
		{"another program's", nil, `["mse","lr=1"]`, nil, nil, `m.onnx: metadata bbgen.loss: there is no setting "lr" of a loss: give --loss`},
		{"a wrong value", nil, `["mse","delta=x"]`, nil, nil, `m.onnx: metadata bbgen.loss: invalid argument "x" for "--delta" flag: strconv.ParseFloat: parsing "x": invalid syntax`},
		{"no list", nil, `mse`, nil, nil, "m.onnx: metadata bbgen.loss: invalid character 'm' looking for beginning of value"},
	} {
		trained := &job{}
		cmd := trained.command()
		if err := cmd.ParseFlags(c.trained); err != nil {
			t.Fatal(err)
		}
		meta, err := trained.how.lossMetadata(cmd, trained.how.loss)
		if err != nil {
			t.Fatal(err)
		}
		if c.meta != "" {
			meta = map[string]string{keys.Loss: c.meta}
		}
		m := &ir.Module{File: "m.onnx"}
		for key, value := range meta {
			m.Meta = append(m.Meta, ir.Metadata{Key: key, Value: value})
		}
		evaluated := newEvaluation()
		if err := evaluated.cmd.ParseFlags(c.evaluate); err != nil {
			t.Fatal(err)
		}
		want := c.err
		if want == "" {
			want = "<nil>"
		}
		if got := fmt.Sprint(evaluated.followLoss(m)); got != want {
			t.Errorf("%s: got %q, want %q", c.name, got, want)
		}
		for name, want := range c.want {
			if got := evaluated.cmd.Flags().Lookup(name).Value.String(); got != want {
				t.Errorf("%s: --%s is %s, want %s", c.name, name, got, want)
			}
		}
	}
	if meta, err := new(how).lossMetadata(nil, ""); err != nil || len(meta) > 0 {
		t.Errorf("an algorithm of its own: got %v, %v, want nothing", meta, err)
	}
}

// TestLabelMetadata: an evaluation uses the label's column of the training, unless the user names another.
func TestLabelMetadata(t *testing.T) {
	for _, c := range []struct {
		meta string
		args []string
		want string
		err  string
	}{
		{`["kind"]`, nil, "kind", "<nil>"},
		{`["kind"]`, []string{"--label", "serial"}, "serial", "<nil>"},
		{`[]`, nil, "", "<nil>"},
		{`kind`, nil, "", "m.onnx: metadata bbgen.label: invalid character 'k' looking for beginning of value"},
	} {
		j := newEvaluation()
		if err := j.cmd.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		err := j.followLabel(&ir.Module{File: "m.onnx", Meta: []ir.Metadata{{Key: keys.Label, Value: c.meta}}})
		if got := j.cmd.Flags().Lookup("label").Value.String(); got != c.want || fmt.Sprint(err) != c.err {
			t.Errorf("%s, %q: got %q, %v, want %q, %s", c.meta, c.args, got, err, c.want, c.err)
		}
	}
}

// TestLabelKept: a model that was trained with --label is judged by the same column, without the flag.
func TestLabelKept(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs and trains with them")
	}
	dir := t.TempDir()
	model := cmdtest.Model(t, dir, "line.onnx", "module \"line\"\nopset 21\nfunc @main(%x: float32[n,2]) -> (%y) {\n  const %w: float32[2,2] = [0, 0, 0, 0]\n  %y = MatMul(%x, %w)\n}\n")
	data := cmdtest.File(t, dir, "blooms.csv", "kind,width,length,serial\nrose,1,10,1\nrose,2,10,2\ndaisy,-1,1,3\ndaisy,0,1,4\n")
	other := cmdtest.File(t, dir, "others.csv", "width,length,serial\n1,10,1\n")
	trainedOf(t, model, new(job), data, dir, "--columns", "length,width", "--label", "kind", "--lr", "0.5", "--epochs", "20", "--batch", "4", "--val-split", "0")
	for _, c := range []struct {
		data, out, errs string
		code            int
	}{
		{data, "4 examples  loss ", "labels from the column \"kind\"\n", 0},
		{other, "", "others.csv: there is no label column \"kind\"; there are: width, length, serial", 1},
	} {
		out, errs, err := cmdtest.Run(t, EvalCommand(), filepath.Join(dir, "trained.onnx"), "--data", c.data)
		if failed, _ := errors.AsType[cli.Failed](err); failed.Code != c.code || !strings.HasPrefix(out, c.out) || !strings.Contains(errs, c.errs) {
			t.Errorf("%s: got %q, %q, %v, want %q, %q, exit code %d", c.data, out, errs, err, c.out, c.errs, c.code)
		}
	}
}

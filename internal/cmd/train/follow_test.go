package train

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/export"
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
			meta = map[string]string{export.KeyLoss: c.meta}
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
		err := j.followLabel(&ir.Module{File: "m.onnx", Meta: []ir.Metadata{{Key: export.KeyLabel, Value: c.meta}}})
		if got := j.cmd.Flags().Lookup("label").Value.String(); got != c.want || fmt.Sprint(err) != c.err {
			t.Errorf("%s, %q: got %q, %v, want %q, %s", c.meta, c.args, got, err, c.want, c.err)
		}
	}
}

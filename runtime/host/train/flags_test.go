package train

import (
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestFlagsRefuse gives command lines whose settings are out of range or exclude each other: each is refused with the flag,
// what it is, and what is wanted.
func TestFlagsRefuse(t *testing.T) {
	for args, want := range map[string]string{
		"-data d -format xml":                      `--format is "xml", want one of `,
		"-data d -lr -1":                           "--lr is -1, want a finite number, more than 0",
		"-data d -lr NaN":                          "--lr is NaN, want a finite number, more than 0",
		"-data d -lr Inf":                          "--lr is +Inf, want a finite number, more than 0",
		"-data d -epochs 0":                        "--epochs is 0, want at least 1",
		"-data d -val-split NaN":                   "--val-split is NaN, want a part from 0 to below 1",
		"-data d -shard-replicas 1":                "--shard-replicas is for the parts of --shard-optimizer: give that, too",
		"-data d -shard-optimizer -shard-replicas": "flag needs an argument: -shard-replicas",
		"-data d -mean 1,2 -std 1":                 "--mean has 2 numbers, --std 1",
		"-data d -mean 1,a -std 1,1":               `--mean: "a" is no number`,
		"-data d -mean 1 -std ,":                   `--std: "" is no number`,
		"-data d -steps -1":                        "--steps is -1, want 0 or more",
		"-data d -eval-every -1":                   "--eval-every is -1, want 0 or more",
		"-data d -early-stop -1":                   "--early-stop is -1, want 0 or more",
		"-data d -threads -1":                      "--threads is -1, want 0 or more",
		"-data d -codec gzip":                      `--codec is "gzip", want one of `,
		"-data d -augment turn=3":                  `"turn`,
		"-data d -eppochs 3":                       "-epochs",
		"-data d more":                             `unexpected argument "more"`,
	} {
		_, err := parse(program(nil, nil), strings.Fields(args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", args, err, want)
		}
	}
}

// TestCheck: a command line is checked without its data, for one process and for several.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		args  string
		peers int
		want  string
	}{
		{"-data d -codec int8 -batch 2", 2, ""},
		{"-data d -find-lr", 0, ""},
		{"-data d -batch 2", 3, "--batch is 2, want at least one example for each of 3 peers"},
		{"-data d -codec int8", 0, "--codec is for gradients that several peers send each other"},
		{"-data d -folds 2", 2, "--find-lr and --folds are for one process alone"},
		{"-data d -h", 1, flag.ErrHelp.Error()},
	} {
		err := Check(program(nil, nil), c.peers, strings.Fields(c.args))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s with %d peers: got %v, want %q", c.args, c.peers, err, c.want)
		}
	}
}

// TestFlagsTogether: all mistakes of a command line are in one error.
func TestFlagsTogether(t *testing.T) {
	_, err := parse(program(nil, nil), strings.Fields("-schedule x -codec y -mean z"), io.Discard, io.Discard)
	for _, want := range []string{"schedule", "--codec", "--mean", "--data"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want in it %q", err, want)
		}
	}
}

// TestFlagsWithoutRate: a program whose algorithm has its own learning rate takes none, and says so in its help.
func TestFlagsWithoutRate(t *testing.T) {
	p := program(nil, nil)
	p.Rate = 0
	for args, want := range map[string]string{
		"-data d -lr 0.1":           "--lr and --schedule say nothing to this program",
		"-data d -schedule cosine":  "--lr and --schedule say nothing to this program",
		"-data d -find-lr":          "--find-lr: the program's algorithm has a learning rate of its own",
		"-data d -epochs 2 -eval":   "",
		"-data d -batch 3 -every 2": "",
	} {
		_, err := parse(p, strings.Fields(args), io.Discard, io.Discard)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", args, err, want)
		}
	}
	with, without := Flags(program(nil, nil)).Lookup("lr").Usage, Flags(p).Lookup("lr").Usage
	if !strings.Contains(with, "default 0.1") || !strings.Contains(without, "default the optimizer's") {
		t.Errorf("the help of -lr is %q with a rate, and %q without", with, without)
	}
}

// TestAloneOrTogether: settings for several peers are refused in one process, and those for one process with others.
func TestAloneOrTogether(t *testing.T) {
	for _, c := range []struct {
		args, want string
		group      Group
	}{
		{"-codec int8", "--codec is for gradients that several peers send each other", nil},
		{"-shard-optimizer", "--shard-optimizer is for several peers", nil},
		{"-find-lr", "--find-lr and --folds are for one process alone", one{newCircle(2), 0}},
		{"-folds 3", "--find-lr and --folds are for one process alone", one{newCircle(2), 0}},
	} {
		var said strings.Builder
		args := append([]string{"-data", "none.csv"}, strings.Fields(c.args)...)
		code := do(t.Context(), c.group, program(nil, nil), args, &said, &said)
		if c.group != nil {
			code = DoIn(c.group, program(nil, nil), args, &said, &said)
		}
		if code != 2 || !strings.Contains(said.String(), c.want) {
			t.Errorf("%s: exit code %d, %s, want %q", c.args, code, &said, c.want)
		}
	}
}

// TestPorts: a program whose inputs no data provide is refused before the data are opened.
func TestPorts(t *testing.T) {
	port := func(elem tensor.DType, dims ...string) []model.Port {
		return []model.Port{{Name: "v", Type: "some type", Elem: elem, Dims: dims}}
	}
	good := port(tensor.Float32, "batch")
	for want, p := range map[string]model.TrainProgram{
		"the model has no inputs":       {Targets: good},
		"v is some type, want a tensor": {Inputs: port(tensor.Float32), Targets: good},
		"with an axis for the batch":    {Inputs: good, Targets: port(tensor.Undefined, "batch")},
	} {
		c := &config{data: "there is no such file"}
		if _, err := c.open(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

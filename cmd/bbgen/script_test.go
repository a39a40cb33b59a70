package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/internal/modcache"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/safetensors"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// TestMain lets scripts run bbgen as a command of the test binary.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"bbgen": main})
}

// TestScripts runs command lines as a user would: one file for each script, in testdata/script.
func TestScripts(t *testing.T) {
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if !testing.Short() {
		modcache.Fill(t, repo)
	}
	home := t.TempDir() // with a cache that all scripts share
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			cache, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
			if err != nil {
				return err
			}
			lines := strings.Split(string(cache), "\n")
			env.Setenv("GOCACHE", lines[0])
			env.Setenv("GOMODCACHE", lines[1])
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOFLAGS", "-trimpath") // with these two flags, packages that scripts build and that bbgen builds are compiled once
			env.Setenv("CGO_ENABLED", "0")
			env.Setenv("GOWORK", "off")
			env.Setenv("REPO", repo)
			env.Setenv("HOME", home)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"onnx":        writeModel,
			"protobuf":    writeProto,
			"vector":      writeVector,
			"safetensors": writeTensors,
			"exits":       exits,
			"appears":     appears,
			"table":       writeTable,
			"token":       token,
			"validations": validations,
		},
	})
}

// validations is "validations FILE": it writes those lines of the last command's output that are about a
// validation.
func validations(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: validations FILE")
	}
	var out strings.Builder
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if strings.HasPrefix(line, "epoch ") {
			out.WriteString(line)
		}
	}
	write(ts, args[0], []byte(out.String()))
}

// writeModel is "onnx in.ir out.onnx": it writes a graph's text form as a
// ModelProto.
func writeModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: onnx in.ir out.onnx")
	}
	m, err := ir.Parse(args[0], ts.ReadFile(args[0]))
	ts.Check(err)
	b, err := onnx.Encode(m)
	ts.Check(err)
	write(ts, args[1], b)
}

// writeProto is "protobuf in.textproto out.onnx": it writes the text form of a ModelProto as such, whatever it holds.
func writeProto(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: protobuf in.textproto out.onnx")
	}
	p := &onnxpb.ModelProto{}
	ts.Check(prototext.Unmarshal([]byte(ts.ReadFile(args[0])), p))
	b, err := proto.Marshal(p)
	ts.Check(err)
	write(ts, args[1], b)
}

func write(ts *testscript.TestScript, name string, b []byte) {
	name = ts.MkAbs(name)
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, b, 0o666))
}

// writeVector is "vector out.pb 1,2,3": it writes a TensorProto of float32.
func writeVector(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: vector out.pb 1,2,3")
	}
	v := floats(ts, args[1])
	write(ts, args[0], tensorio.AppendTensor(nil, "", tensor.Of(v, len(v))))
}

// floats parses numbers separated by commas.
func floats(ts *testscript.TestScript, list string) []float32 {
	var v []float32
	for _, s := range strings.Split(list, ",") {
		x, err := strconv.ParseFloat(s, 32)
		ts.Check(err)
		v = append(v, float32(x))
	}
	return v
}

// writeTensors is "safetensors out.safetensors name=1,2,3…": it writes tensors of
// float32.
func writeTensors(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: safetensors out.safetensors name=1,2,3...")
	}
	f := safetensors.File{Tensors: map[string]*tensor.Tensor{}}
	for _, arg := range args[1:] {
		name, list, _ := strings.Cut(arg, "=")
		v := floats(ts, list)
		f.Tensors[name] = tensor.Of(v, len(v))
	}
	b, err := f.Append(nil)
	ts.Check(err)
	write(ts, args[0], b)
}

// patience is the time limit for another process to build and start on a busy machine.
const patience = 8 * time.Minute

// appears is "appears FILE": it waits until another process has written the file.
func appears(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: appears FILE")
	}
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s has not appeared in %v", args[0], patience)
		}
	}
}

// token is "token NAME": it stores the last command's output in a variable.
func token(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: token NAME")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// exits is "exits CODE command…": the command must exit with that code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var ee *exec.ExitError
	if errors.As(err, &ee) {
		got = ee.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

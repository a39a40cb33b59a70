package tune

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/ir/pass"
)

// conv is a model with one convolution that can be computed in several ways.
const conv = `module "conv"
opset 21

func @main(%x: float32[n,16,12,12]) -> (%y) {
  const %w: float32[16,16,3,3] = CONST
  %y = Conv(%x, %w) {pads = [1, 1, 1, 1]} : ?
}
`

// TestMain is also the program that a test measures. Its times depend on the way in which it would compute, which is
// the name of its folder.
func TestMain(m *testing.M) {
	cmdtest.Main(m, func(name string, args []string) int {
		if text := os.Getenv("BBGEN_TEST_PROGRAM"); text != "" {
			os.Stderr.WriteString(text)
			return 1
		}
		want := "bench -profile -json -time 1ms -threads 3"
		if got := strings.Join(args, " "); got != want && got != want+" -in inputs" {
			os.Stderr.WriteString("arguments " + got)
			return 1
		}
		time := map[string]float64{"convolutions-directly": 100, "convolutions-by-Winograd's-transforms": 40, "convolutions-by-Winograd's-transforms-of-2×2-pixels": 50, "channels-first": 70}[filepath.Base(filepath.Dir(name))]
		fmt.Printf(`{"level": "avx2", "threads": 3, "nodes": [{"node": "y_last", "best_us": %v}, {"node": "y", "best_us": %[1]v}]}`, time)
		return 0
	})
}

// model writes the model with a convolution into the working folder, which is a new one.
func model(t *testing.T) string {
	t.Helper()
	t.Chdir(t.TempDir())
	ones := "[" + strings.TrimSuffix(strings.Repeat("1, ", 16*16*9), ", ") + "]"
	return cmdtest.Model(t, ".", "conv.onnx", strings.Replace(conv, "CONST", ones, 1))
}

// TestTune: each way is built once and measured in each round, and the fastest one is written to the file and printed.
func TestTune(t *testing.T) {
	file := model(t)
	calls := cmdtest.Toolchain(t, "")
	if err := os.Mkdir("inputs", 0o777); err != nil {
		t.Fatal(err)
	}
	out, messages, err := cmdtest.Run(t, Command(), file, "--bind", "n=1", "--time", "1ms", "--threads", "3", "--rounds", "2", "--in", "inputs", "-o", "out/tune.json", "--verbose")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("out/tune.json")
	if err != nil {
		t.Fatal(err)
	}
	tuning, err := pass.ParseTuning(b)
	if err != nil {
		t.Fatal(err)
	}
	if tuning.Model != "conv" || tuning.Level != "avx2" || tuning.Threads != 3 || tuning.Layout != pass.ChannelsLast || len(tuning.Choices) != 1 || tuning.Choices[0].Pick != pass.ByWinograd {
		t.Errorf("the file holds %s, want that the convolution is computed by Winograd's transforms, channels last", b)
	}
	if want := "3×3, 16 to 16 channels, 12×12 pixels"; !strings.Contains(out, want) || !strings.HasPrefix(out, "conv, avx2, threads: 3\n") {
		t.Errorf("got %s, want %q in it", out, want)
	}
	if list := calls(); len(list) != 4 || !strings.HasPrefix(list[0], "build ") {
		t.Errorf("the go command was called %q, want four builds", list)
	}
	for _, want := range []string{"building: convolutions directly", "round 2 of 2, channels first"} {
		if !strings.Contains(messages, want) {
			t.Errorf("the progress is %q, want %q in it", messages, want)
		}
	}
}

// TestTuneFails: what goes wrong while programs are built and measured is an error, and no file is written.
func TestTuneFails(t *testing.T) {
	for _, c := range []struct{ name, build, program, want string }{
		{"the build", "main.go:1: broken", "", "go build: exit status 1\nmain.go:1: broken"},
		{"the program", "", "out of memory\n", "conv.onnx: the program failed: out of memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := model(t)
			cmdtest.Toolchain(t, c.build)
			t.Setenv("BBGEN_TEST_PROGRAM", c.program)
			_, _, err := cmdtest.Run(t, Command(), file, "--time", "1ms", "--threads", "3", "--rounds", "1", "-q")
			if err == nil || err.Error() != c.want {
				t.Errorf("the error is %v, want %s", err, c.want)
			}
			if _, err := os.Stat("tune.json"); err == nil {
				t.Error("a file is written all the same")
			}
		})
	}
}

// TestRefuses shows command lines and files that are refused before anything is built.
func TestRefuses(t *testing.T) {
	file := model(t)
	calls := cmdtest.Toolchain(t, "")
	cmdtest.Refuse(t, Command,
		cmdtest.Refusal{Args: nil, Want: "want one MODEL, an ONNX file: there is none", Usage: true},
		cmdtest.Refusal{Args: []string{file, "--rounds", "0"}, Want: "--rounds is 0 and --time is 1s, want both above 0", Usage: true},
		cmdtest.Refusal{Args: []string{file, "--time", "0s"}, Want: "--rounds is 3 and --time is 0s, want both above 0", Usage: true},
		cmdtest.Refusal{Args: []string{file, "--threads", "-1"}, Want: "--threads is -1, want 0 or more", Usage: true},
		cmdtest.Refusal{Args: []string{file, "--in", "none"}, Want: "--in none: there is no such folder", Usage: true},
		cmdtest.Refusal{Args: []string{file, "-o", "."}, Want: "-o . is a folder, want a file", Usage: true},
		cmdtest.Refusal{Args: []string{file, "-o", file}, Want: "-o conv.onnx would replace the input conv.onnx", Usage: true},
		cmdtest.Refusal{Args: []string{"none.onnx"}, Want: "none.onnx"},
		cmdtest.Refusal{Args: []string{file, "--bind", "batch=1"}, Want: `"batch"`},
	)
	if list := calls(); list[0] != "" {
		t.Errorf("the go command was called %q", list)
	}
}

// TestNoteRefuses: what a program prints is not trusted to be JSON.
func TestNoteRefuses(t *testing.T) {
	if err := new(way).note([]byte("panic")); err == nil || !strings.Contains(err.Error(), "invalid character") {
		t.Errorf("the error is %v", err)
	}
}

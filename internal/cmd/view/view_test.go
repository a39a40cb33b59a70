package view

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
)

const two = `module "two"
opset 21

func @main(%x: float32[2,3]) -> (%y) {
  const %w: float32[3] = [1, 2, 3]
  %h = Mul(%x, %w) : ?
  %y = Softmax(%h) : ? name "the_end"
}
`

// newModels makes a working folder with a model and another one.
func newModels(t *testing.T) (model, other string) {
	t.Helper()
	t.Chdir(t.TempDir())
	return cmdtest.Model(t, ".", "two.onnx", two), cmdtest.Model(t, ".", "other.onnx", strings.ReplaceAll(two, "Softmax", "Abs"))
}

// TestView writes pages of a model, of a training step, of stages, of two models, and of one with measured times.
func TestView(t *testing.T) {
	model, other := newModels(t)
	profile := cmdtest.File(t, ".", "profile.json", `{"nodes":[{"node":"the_end","us":3}]}`)
	for name, args := range map[string][]string{
		"model":   nil,
		"train":   {"--loss", "mse", "--optimizer", "sgd"},
		"stages":  {"--split", "2", "--peers", "stage0=2"},
		"diff":    {"--diff", other},
		"profile": {"--profile", profile},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := cmdtest.Run(t, Command(), append(args, model, "-o", "out/"+name+".html")...); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile("out/" + name + ".html")
			if err != nil || !strings.Contains(string(b), "<html") {
				t.Errorf("%d bytes, %v, want a page", len(b), err)
			}
		})
	}
}

// TestServe: the page is served at an address that is printed first.
func TestServe(t *testing.T) {
	model, _ := newModels(t)
	read, write := io.Pipe()
	defer read.Close()
	cmd := Command()
	cmd.SetArgs([]string{model, "--open=false"})
	cmd.SetOut(write)
	go func() { write.CloseWithError(cmd.ExecuteContext(t.Context())) }() // it serves until the process ends
	address, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Get(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if b, err := io.ReadAll(r.Body); err != nil || r.StatusCode != http.StatusOK || !strings.Contains(string(b), "<html") {
		t.Errorf("%s: got %s and %d bytes, %v", address, r.Status, len(b), err)
	}
}

// TestRefuses shows command lines that are refused.
func TestRefuses(t *testing.T) {
	model, other := newModels(t)
	broken := cmdtest.File(t, ".", "broken.json", "{")
	cmdtest.Refuse(t, Command,
		cmdtest.Refusal{Args: nil, Want: "want one INPUT, a model or a program: there is none", Usage: true},
		cmdtest.Refusal{Args: []string{model, "-o", model}, Want: "-o two.onnx would replace the input two.onnx", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--diff", other, "--profile", broken}, Want: "--profile and --diff do not go together", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--split", "2", "--loss", "mse"}, Want: "--loss is for a model that one peer trains, and two.onnx is cut", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--split", "2", "--profile", broken}, Want: "--profile is for a model that one peer runs, and two.onnx is cut", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--loss", "magic"}, Want: "--loss: no loss \"magic\"; there are: ", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--loss", "mse", "--optimizer", "magic"}, Want: "--optimizer: ", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--split", "0"}, Want: "--split is 0, want 2 or more", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--profile", broken}, Want: "broken.json"},
		cmdtest.Refusal{Args: []string{model, "--profile", "none.json"}, Want: "none.json"},
		cmdtest.Refusal{Args: []string{"none.onnx"}, Want: "none.onnx"},
		cmdtest.Refusal{Args: []string{model, "--listen", "nowhere"}, Want: "--listen nowhere: "},
		cmdtest.Refusal{Args: []string{model, "--listen", "0.0.0.0:0"}, Want: "want an address of loopback", Usage: true},
	)
}

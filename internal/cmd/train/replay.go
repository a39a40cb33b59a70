package train

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/train"
)

// recorded is the content of losses.json: how PyTorch trained a model, and the loss of each step.
type recorded struct {
	Optimizer string         `json:"optimizer"`
	Config    map[string]any `json:"config"`
	Loss      string         `json:"loss"` // the class and the reduction: "CrossEntropyLoss mean"
	Losses    []float64      `json:"losses"`
}

// replay trains the model of a recorded case in the same way, and writes the results to out. The case is a
// folder with model.onnx, losses.json and the batches steps/NNN/NAME.pb.
func replay(dir, out string, p *cli.Progress) error {
	model := filepath.Join(dir, "model.onnx")
	m, err := onnx.ReadFile(model)
	if err != nil {
		return err
	}
	opt, err := recordedOptions(filepath.Join(dir, "losses.json"))
	if err != nil {
		return err
	}
	if opt.Loss.Targets, err = recordedTargets(m, filepath.Join(dir, "steps")); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "bbgen-replay-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	home := project.Home{Dir: filepath.Join(tmp, "peer"), Import: "peer.bbgen.local", Own: true}
	r, err := bbgen.Compile(m, bbgen.Config{
		Source: filepath.Base(model), Import: home.Import, Hosts: []string{"replay"}, Train: &opt,
		Done: func(s string) { p.Stage("%s", s) },
	})
	if err != nil {
		return err
	}
	if err := project.Write(home, r.Files); err != nil {
		return err
	}
	p.Stage("go build")
	bin := filepath.Join(tmp, "replay")
	if err := project.GoBuild(home.Dir, bin); err != nil {
		return err
	}
	p.Stage("train")
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	cmd := exec.Command(bin, dir, out)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %s", dir, strings.TrimSpace(stderr.String()))
	}
	return nil
}

// recordedTargets returns the names of a batch's tensors other than the model's inputs.
func recordedTargets(m *ir.Module, steps string) ([]string, error) {
	list, err := filepath.Glob(filepath.Join(steps, "*"))
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: there are no steps", steps)
	}
	files, err := filepath.Glob(filepath.Join(list[0], "*.pb"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".pb")
		if !slices.ContainsFunc(m.Main.Body.Params, func(v *ir.Value) bool { return v.Name == name }) {
			out = append(out, name)
		}
	}
	return out, nil
}

func recordedOptions(file string) (train.Options, error) {
	var r recorded
	b, err := os.ReadFile(file)
	if err != nil {
		return train.Options{}, err
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return train.Options{}, fmt.Errorf("%s: %w", file, err)
	}
	opt := train.Options{Gradients: true}
	if opt.Optimizer, err = r.optimizer(); err == nil {
		opt.Loss, err = r.loss()
	}
	if err != nil {
		return opt, fmt.Errorf("%s: %w", file, err)
	}
	return opt, nil
}

// torchLosses maps PyTorch's losses to bbgen's names.
var torchLosses = map[string]string{
	"BCELoss":             "bce",
	"BCEWithLogitsLoss":   "bce_logits",
	"CosineEmbeddingLoss": "cosine",
	"CTCLoss":             "ctc",
	"CrossEntropyLoss":    "cross_entropy",
	"HuberLoss":           "huber",
	"KLDivLoss":           "kl",
	"L1Loss":              "l1",
	"MSELoss":             "mse",
	"NLLLoss":             "nll",
	"SmoothL1Loss":        "smooth_l1",
	"TripletMarginLoss":   "triplet",
}

func (r *recorded) loss() (train.Loss, error) {
	class, reduction, _ := strings.Cut(r.Loss, " ")
	name := torchLosses[class]
	if name == "" {
		return train.Loss{}, fmt.Errorf("no loss %q", r.Loss)
	}
	return train.Loss{Name: name, Reduction: reduction}, nil
}

// optimizer returns the recorded optimizer with its settings. PyTorch's betas and the
// alpha of RMSprop are bbgen's beta1 and beta2.
func (r *recorded) optimizer() (train.Optimizer, error) {
	o, err := train.NewOptimizer(strings.ToLower(r.Optimizer))
	if err != nil {
		return o, err
	}
	for _, x := range []struct {
		key string
		to  *float64
	}{
		{"lr", &o.Rate}, {"momentum", &o.Momentum}, {"dampening", &o.Dampening}, {"eps", &o.Epsilon},
		{"weight_decay", &o.Decay}, {"lr_decay", &o.RateDecay}, {"initial_accumulator_value", &o.Initial}, {"alpha", &o.Beta2},
	} {
		if v, ok := r.Config[x.key].(float64); ok {
			*x.to = v
		}
	}
	if betas, ok := r.Config["betas"].([]any); ok && len(betas) == 2 {
		o.Beta1, _ = betas[0].(float64)
		o.Beta2, _ = betas[1].(float64)
	}
	for _, x := range []struct {
		key string
		to  *bool
	}{{"nesterov", &o.Nesterov}, {"centered", &o.Centered}, {"amsgrad", &o.AMSGrad}, {"maximize", &o.Maximize}} {
		if v, ok := r.Config[x.key].(bool); ok {
			*x.to = v
		}
	}
	if v, _ := r.Config["decoupled_weight_decay"].(bool); v && o.Name == "adam" {
		o.Name = "adamw"
	}
	return o, nil
}

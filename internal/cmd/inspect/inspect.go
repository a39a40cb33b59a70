// Package inspect implements bbgen inspect, which reports the content of a model.
package inspect

import (
	"bufio"
	"context"
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/cut"
	"github.com/bbgen/bbgen/internal/cmd/kernels"
	"github.com/bbgen/bbgen/internal/record"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// Report is the result of inspect.
type Report struct {
	File        string         `json:"file"`
	Name        string         `json:"name"`
	Opsets      map[string]int `json:"opsets"`
	Inputs      []Port         `json:"inputs"`
	Outputs     []Port         `json:"outputs"`
	Classes     []string       `json:"classes,omitempty"` // names of the scores in the first output
	Columns     []string       `json:"columns,omitempty"` // names of the features in the first input
	Nodes       int            `json:"nodes"`
	Ops         map[string]int `json:"ops"`
	Parameters  int            `json:"parameters"`
	FLOPs       string         `json:"flops"` // of a run; with symbols for variable sizes
	Arena       int            `json:"arena_bytes"`
	Weights     int            `json:"weight_bytes"`
	Training    []Training     `json:"training,omitempty"`
	Unsupported []Unsupported  `json:"unsupported"`
	Error       string         `json:"error,omitempty"` // the error of the compilation
	Warnings    []string       `json:"warnings,omitempty"`
	Plan        *plan.Memory   `json:"plan,omitempty"`    // where values are stored, if requested
	Choices     []pass.Choice  `json:"choices,omitempty"` // between kernels, if the plan is requested
	Program     *Program       `json:"program,omitempty"`

	flops ir.Dim
	sizes []string // unknown sizes of inputs
	cut   *bbgen.Result
}

// Port is an input or output.
type Port struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Training is a training step described in the file itself.
type Training struct {
	Inputs  []Port         `json:"inputs"` // in addition to the model's
	Ops     map[string]int `json:"ops"`
	Updates []string       `json:"updates"` // the constants that it changes
}

// Unsupported is a node that cannot be compiled.
type Unsupported struct {
	Node   string `json:"node"`
	Op     string `json:"op"`
	Reason string `json:"reason"`
}

// Command returns the command bbgen inspect.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect INPUT",
		Short: "say what a model or a distributed program reads, writes, contains and needs",
		Long: `Inspect says what a model reads and writes, which operators it has, how many
parameters, floating-point operations a run and bytes, and what of it bbgen cannot
compile. Of a distributed program it says which classes, slots and edges there are.`,
		Example: `  bbgen inspect digits.onnx
  bbgen inspect digits.onnx --json | jq .parameters
  bbgen inspect digits.onnx --plan --bind batch=1
  bbgen inspect digits.onnx --plan --cpu portable
  bbgen inspect digits.onnx --partitions --split 3
  bbgen inspect ./fedavg                           # the Go package of a program`,
		Args: cli.One("INPUT", "a model or a program"),
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	var f flags
	cli.Bind(cmd.Flags(), &f.bind)
	f.cut.Add(cmd)
	f.kernels.Add(cmd)
	partitions := cmd.Flags().Bool("partitions", false, "say how a program, or a model that is split, is cut: edges, modules, cut points and blocks")
	memory := cmd.Flags().Bool("plan", false, "say where the values live, which of them when most memory is in use, and which kernels compute convolutions")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := f.config()
		if err != nil {
			return err
		}
		r, err := Inspect(cmd.Context(), args[0], c)
		if err != nil {
			return err
		}
		if !*memory {
			r.Plan, r.Choices = nil, nil
		}
		if *partitions {
			if err := r.partition(); err != nil {
				return err
			}
		}
		if *asJSON {
			e := json.NewEncoder(cmd.OutOrStdout())
			e.SetIndent("", "  ")
			return e.Encode(r)
		}
		out := bufio.NewWriter(cmd.OutOrStdout())
		if *partitions {
			r.printPartitions(out)
		} else {
			r.print(out)
		}
		return out.Flush()
	}
	return cmd
}

// flags configure the compilation.
type flags struct {
	bind    map[string]int
	cut     cut.Flags
	kernels kernels.Flags
}

// config checks the flags and returns the configuration.
func (f *flags) config() (c bbgen.Config, err error) {
	c.Bind = f.bind
	if c.Options, err = f.kernels.Options(); err != nil {
		return c, err
	}
	split, err := f.cut.Split()
	if split != nil {
		c.Cut = &bbgen.Cut{Split: split}
	}
	return c, err
}

// Inspect reads a model and compiles it as far as possible. A model that c cuts is a program, as one that is recorded.
func Inspect(ctx context.Context, file string, c bbgen.Config) (*Report, error) {
	in, err := record.Read(ctx, file)
	if err != nil {
		return nil, err
	}
	m := in.Module
	r := &Report{File: file, Name: m.Name, Opsets: m.Opsets, Ops: map[string]int{}, Unsupported: []Unsupported{}}
	if r.Classes, err = m.Names(keys.Classes); err != nil {
		return nil, err
	}
	if r.Columns, err = m.Names(keys.Columns); err != nil {
		return nil, err
	}
	r.count(m)
	r.training(m)
	if c.Cut != nil || artifact.IsProgram(m) {
		r.program(m, c)
		return r, nil
	}
	if err := r.model(m, c); err != nil {
		return nil, err
	}
	return r, nil
}

// model reports on a model that one machine computes: what it reads and returns, and its plan if it has one.
func (r *Report) model(m *ir.Module, c bbgen.Config) error {
	if err := pass.Bind(m, c.Bind); err != nil {
		return err
	}
	if err := pass.Run(m, []*pass.Pass{pass.Inline}, nil); err != nil {
		return err
	}
	for _, u := range pass.Unsupporteds(m) {
		r.Unsupported = append(r.Unsupported, Unsupported{u.Node.Name, u.Node.Op, u.Reason})
	}
	// What the file declares: a compilation that fails leaves types of which only a part has been inferred.
	r.Inputs, r.Outputs = ports(m.Main.Body.Params), ports(m.Main.Body.Results)
	if len(r.Unsupported) > 0 {
		return nil
	}
	c.Bind, c.Until = nil, "plan"
	compiled, err := bbgen.Compile(m, c)
	if err != nil {
		r.Error = err.Error()
		return nil
	}
	r.Inputs, r.Outputs = ports(m.Main.Body.Params), ports(m.Main.Body.Results)
	r.Arena, r.Weights = compiled.Plan.Arena, compiled.Plan.WeightBytes()
	r.flops = pass.FLOPs(m)
	r.FLOPs = r.flops.String()
	r.varying(m.Main.Body.Params)
	r.Plan, r.Choices, r.Warnings = compiled.Plan.Memory(), compiled.Choices, slices.Concat(compiled.Warnings, compiled.Stale)
	return nil
}

// count counts nodes by operator, and the elements of float constants.
func (r *Report) count(m *ir.Module) {
	seen := map[*ir.Value]bool{}
	for _, f := range m.AllFuncs() {
		f.Body.Walk(func(n *ir.Node) {
			r.Nodes++
			r.Ops[opName(n)]++
			for _, v := range n.In {
				if v.IsConst() && v.Const.DType.IsFloat() && !seen[v] {
					seen[v] = true
					r.Parameters += v.Const.Len()
				}
			}
		})
	}
}

// training lists the training algorithms of the file.
func (r *Report) training(m *ir.Module) {
	for _, t := range m.Training {
		if t.Algorithm == nil {
			continue
		}
		s := Training{Inputs: ports(t.Algorithm.Body.Params), Ops: map[string]int{}}
		t.Algorithm.Body.Walk(func(n *ir.Node) { s.Ops[opName(n)]++ })
		for _, u := range t.Updates {
			s.Updates = append(s.Updates, u.To.Name)
		}
		r.Training = append(r.Training, s)
	}
}

// opName returns the name of an operator with its domain.
func opName(n *ir.Node) string {
	if n.Domain == "" {
		return n.Op
	}
	return n.Domain + ":" + n.Op
}

func ports(vs []*ir.Value) []Port {
	out := make([]Port, len(vs))
	for i, v := range vs {
		out[i] = Port{v.Name, v.Type.String()}
	}
	return out
}

// varying records the symbols in the shapes of inputs.
func (r *Report) varying(inputs []*ir.Value) {
	for _, v := range inputs {
		for _, d := range v.Type.Shape {
			d.Syms(func(s string) { r.sizes = append(r.sizes, s) })
		}
	}
	slices.Sort(r.sizes)
	r.sizes = slices.Compact(r.sizes)
}

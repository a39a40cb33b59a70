package bbgen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/internal/bind"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/partitioner"
)

// printModels generates the packages of the models that are bound to a partition's slots.
func (c *compilation) printModels(p *partitioner.Partition) (map[string]bind.Model, error) {
	out := map[string]bind.Model{}
	var wrong []error
	used := map[string]bool{}
	for _, s := range p.Slots {
		if s.Binding == nil || s.Binding.Model == "" {
			continue
		}
		m, err := c.printSlot(p, s, packageName(s.Name, used))
		if err != nil {
			wrong = append(wrong, fmt.Errorf("slot %q of %s: %w", s.Name, p.Class, err))
		}
		out[s.Name] = m
	}
	return out, errors.Join(wrong...)
}

// packageName returns the name of the package, and of its folder, for the model in a slot: that of the slot, if it means
// nothing else to Go and no other slot of the class has it.
func packageName(slot string, used map[string]bool) string {
	name := strings.ToLower(ir.Ident(slot))
	if token.IsKeyword(name) || name[0] == '_' || slices.Contains([]string{"main", "vendor", "internal", "testdata"}, name) {
		name = "model" + name
	}
	base := name
	for i := 2; used[name]; i++ {
		name = fmt.Sprint(base, "_", i)
	}
	used[name] = true
	return name
}

// printSlot generates the package of a model that is bound to a slot, with the given name. It is compiled like any other
// trained model.
func (c *compilation) printSlot(p *partitioner.Partition, s *partitioner.Slot, name string) (bind.Model, error) {
	dir := path.Join(p.Class, "partition", name)
	out := bind.Model{Package: path.Join(c.Import, dir)}
	m, how, err := boundModel(p, s, c.Cut.Dir)
	if err != nil {
		return out, err
	}
	part := fmt.Sprintf("slot %q of %s", s.Name, p.Class)
	own := Config{Source: path.Base(filepath.ToSlash(s.Binding.Model)), Package: name, Train: &how}
	if len(c.Bind) > 0 { // the model's names for sizes are its own: those of the program are in its calls
		called := bind.CalledOf(p, s.Name)
		own.Bind = called.Sizes(m.Main.Body.Params)
	}
	w := c.part(part, m, own)
	w.slot = true
	if err := w.run(); err != nil {
		return out, err
	}
	c.put(dir, w.Files)
	c.takeWarnings(part, w)
	out.Methods, err = w.Trainer.SlotMethods()
	return out, err
}

// part returns the compilation of a part of this one, which is a model with a configuration of its own. It ends at the same
// stage, and its stages are reported with its name.
func (c *compilation) part(name string, m *ir.Module, own Config) *compilation {
	own.Options, own.Until = c.optionsFor(m), c.Until
	if c.Done != nil {
		own.Done = func(stage string) { c.Done(name + ": " + stage) }
	}
	if c.Watch != nil {
		own.Watch = func(stage string, m *ir.Module) { c.Watch(name+": "+stage, m) }
	}
	return &compilation{Config: own, Result: &Result{Modules: []*ir.Module{m}}}
}

// optionsFor returns the options for a model in a slot. Measurements of another model do not apply to it.
func (c *compilation) optionsFor(m *ir.Module) pass.Options {
	opt := c.Options
	if opt.Tuned != nil && opt.Tuned.Model != m.Name {
		opt.Tuned = nil
	}
	return opt
}

// boundModel reads the model that is bound to a slot and returns it with its training options. The path of
// its file is relative to dir.
func boundModel(p *partitioner.Partition, s *partitioner.Slot, dir string) (*ir.Module, train.Options, error) {
	name := filepath.FromSlash(s.Binding.Model)
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	m, err := onnx.ReadFile(name)
	if err != nil {
		return nil, train.Options{}, err
	}
	called := bind.CalledOf(p, s.Name)
	how, err := trainOptions(s.Binding.Train, called.Trains())
	if err != nil {
		return nil, how, err
	}
	err = asCalled(&how, called)
	return m, how, err
}

// asCalled completes training options by the calls of the program. A step computes a loss or takes the
// gradients of the outputs, and returns the gradients of the inputs if they have a reader.
func asCalled(how *train.Options, c bind.Called) error {
	if c.Loss != nil && c.Back != nil {
		return fmt.Errorf("%s: Backward takes the gradient of the output, and %s at %s has a loss: use two slots", c.Back.Pos, c.Loss.Op, c.Loss.Pos)
	}
	how.InputGradients, how.Split = c.Gradients, c.Halves
	how.Backward = c.Back != nil || c.Loss == nil && how.Loss.Name == ""
	return nil
}

// trainOptions returns the training options that a program gives a model. The node trains is the call that
// trains it, or nil. Hyperparameters that the program omits are the optimizer's defaults.
func trainOptions(text json.RawMessage, trains *ir.Node) (train.Options, error) {
	var how train.Options
	if text == nil {
		text = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // the model would not be trained as its author wants
	if err := d.Decode(&how); err != nil {
		return how, fmt.Errorf("options for training: %w", err)
	}
	var said struct{ Optimizer map[string]any }
	if err := json.Unmarshal(text, &said); err != nil {
		return how, err
	}
	o, err := optimizer(how.Optimizer.Name, trains)
	if err != nil {
		return how, err
	}
	maps.DeleteFunc(said.Optimizer, func(_ string, v any) bool { return v == 0.0 || v == false })
	b, err := json.Marshal(said.Optimizer)
	if err == nil {
		err = json.Unmarshal(b, &o)
	}
	how.Optimizer = o
	return how, err
}

// optimizer returns the optimizer with the given name. A model without training calls needs no optimizer and
// gets SGD, which has no state.
func optimizer(name string, trains *ir.Node) (train.Optimizer, error) {
	if name == "" && trains == nil {
		name = "sgd"
	}
	o, err := train.NewOptimizer(name)
	if err != nil && trains != nil {
		err = fmt.Errorf("%s: %s trains the model: %w: say which in dsl.Train", trains.Pos, trains.Op, err)
	}
	return o, err
}

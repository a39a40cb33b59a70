package bbgen

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/partitioner"
)

// compileStages cuts a model into the stages of a pipeline, and compiles each to a trainer like any other.
func (c *compilation) compileStages() error {
	m := c.Modules[0]
	_, statistics, err := train.Prepare(m, *c.Train)
	if err != nil {
		return err
	}
	split := *c.Cut.Split
	split.Target = cmp.Or(split.Target, c.For())
	parts, stages, err := partitioner.Parts(m, split, func(v *ir.Value) bool { return slices.Contains(statistics, v) })
	if err != nil {
		return err
	}
	c.Stages, c.Modules = stages, nil
	if c.Until == "stages" {
		for _, p := range parts {
			c.Modules = append(c.Modules, p.Module)
		}
		return nil
	}
	whole := codegen.Pipeline{Name: m.Name, Source: c.Source, Inputs: len(m.Main.Body.Params), ClipNorm: c.Train.ClipNorm}
	for k, p := range parts {
		name := fmt.Sprintf("stage%d", k)
		if err := c.compileStage(name, p.Module, c.Train.Stage(p.Module, k, len(parts))); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		whole.Stages = append(whole.Stages, codegen.PipelineStage{Package: path.Join(c.Import, name), Inputs: p.Inputs})
	}
	if c.Import == "" || c.Files == nil {
		return nil
	}
	if err := c.checkLinked(maxLinked); err != nil {
		return err
	}
	main, err := codegen.PipelineMain(whole)
	return c.putMain(".", main, err)
}

// compileStage adds the package of one stage.
func (c *compilation) compileStage(name string, m *ir.Module, how train.Options) error {
	w := c.part(name, m, Config{Source: cmp.Or(c.Source, m.File), Package: name, Train: &how, Sidecar: c.Sidecar})
	if err := w.run(); err != nil {
		return err
	}
	c.put(name, w.Files)
	c.takeWarnings(name, w)
	c.Modules = append(c.Modules, w.Modules...)
	c.Parts = append(c.Parts, w.Result)
	return nil
}

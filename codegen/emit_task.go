package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
)

// emitTasks emits the types of commands. They have the memory of the frame under another type name.
func (f *frameEmitter) emitTasks(j *jen.File) {
	if len(f.Tasks) == 0 {
		return
	}
	j.Comment("Task is the command behind a cut point.")
	j.Func().Params(f.recv()).Id("Task").Params(jen.Id("cut").Int()).Qual(pkgRuntime, "Task").Block(
		jen.Switch(jen.Id("cut")).BlockFunc(func(g *jen.Group) {
			for _, t := range f.Tasks {
				g.Case(f.emitCut(t.Cut)).BlockFunc(func(g *jen.Group) {
					for _, s := range t.Folds {
						g.Id("f").Dot("Contributed").Call(f.emitCut(t.Cut), f.emitCut(s.Fold.Gather))
					}
					g.Return(jen.Parens(jen.Op("*").Id(t.Type)).Call(jen.Id("f")))
				})
			}
		}),
		jen.Panic(jen.Lit("BUG: there is no such command")),
	)
	for _, t := range f.Tasks {
		f.emitTask(j, t)
	}
}

func (f *frameEmitter) emitTask(j *jen.File, t *peerplan.Task) {
	f.locals, f.apart, f.names = map[*ir.Value]string{}, map[*ir.Node]string{}, f.reserved()
	j.Comment(fmt.Sprintf("%s is a frame while its command %s runs.", t.Type, f.Plan.CutName(t.Cut)))
	j.Type().Id(t.Type).Id(f.Type)
	j.Comment("Do runs on the host's worker.")
	j.Func().Params(jen.Id("f").Op("*").Id(t.Type)).Id("Do").Params().Error().BlockFunc(func(g *jen.Group) {
		s := t.Step
		if compute := s.Computation(); compute != nil {
			g.Return(f.emitComputeCall(compute))
			return
		}
		for _, fold := range t.Folds {
			f.emitFoldTask(g, t.Cut, fold)
		}
		if s.Fold != nil {
			g.Return(jen.Nil())
			return
		}
		if call := f.emitOnlyCall(s.Node); call != nil {
			g.Return(call)
			return
		}
		f.emitRoleCall(g, s.Node)
		g.Return(jen.Nil())
	})
}

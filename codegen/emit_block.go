package codegen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/codegen/plan"
)

// blockNames holds the identifiers of one block.
type blockNames struct {
	fn      string               // the method, and its weights field
	profile string               // the method that profiles
	params  map[*plan.Var]string // operands
	consts  map[*plan.Var]string // fields of the weights type
}

// nameBlocks chooses the names of the plan's blocks.
func (e *emitter) nameBlocks() {
	methods := ident.NewScope("run", "profile")
	for _, b := range e.p.Blocks {
		fn := methods.Local(e.name("layers"))
		n := &blockNames{fn: fn, profile: methods.Local("profile_" + fn), params: map[*plan.Var]string{}, consts: map[*plan.Var]string{}}
		locals := ident.NewScope("c", "w", "l", "p", "base", "cpu", "tensor", "in", "out")
		for _, x := range b.Params {
			n.params[x] = locals.Local(ident.Short(x.Value.Name))
		}
		fields := ident.NewScope()
		for i, x := range b.Consts {
			n.consts[x] = fields.Local(e.commonName(b, i))
		}
		e.blocks[b] = n
	}
}

// localNames returns the names of a block's local variables without the words that all of them begin with.
// They come from the first repetition.
func (e *emitter) localNames() map[*plan.Var]string {
	out := map[*plan.Var]string{}
	for _, b := range e.p.Blocks {
		var names [][]string
		for _, x := range b.Locals {
			names = append(names, words(ident.Bare(x.Value.Name)))
		}
		n := commonPrefix(names)
		for i, x := range b.Locals {
			out[x] = strings.Join(names[i][n:], "_")
		}
	}
	return out
}

// commonPrefix returns the number of leading words that all lists share. It is less than the length of any
// list.
func commonPrefix(lists [][]string) int {
	if len(lists) == 0 {
		return 0
	}
	n := len(lists[0]) - 1
	for _, l := range lists {
		k := 0
		for k < min(n, len(l)-1) && l[k] == lists[0][k] {
			k++
		}
		n = k
	}
	return max(n, 0)
}

// commonName returns the name of a block's weight: the last words that are the same in all repetitions, or
// else the last word of the first repetition.
func (e *emitter) commonName(b *plan.Block, i int) string {
	first := words(b.Weights[0][i].Name)
	n := len(first)
	for _, ws := range b.Weights[1:] {
		w := words(ws[i].Name)
		k := 0
		for k < n && k < len(w) && w[len(w)-1-k] == first[len(first)-1-k] {
			k++
		}
		n = k
	}
	if len(first) == 0 {
		return fmt.Sprintf("weight%d", i)
	}
	n = max(n, 1)
	return strings.Join(first[len(first)-n:], "_")
}

func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '.' || r == ':' || r == '_' })
}

// emitBlocks emits the method of each block.
func (e *emitter) emitBlocks(f *jen.File) {
	for _, b := range e.p.Blocks {
		n := e.blocks[b]
		fn := n.fn
		if e.marks != nil {
			fn = n.profile
			e.marks.block, e.named = 0, nil
		}
		differ := "their operands"
		if len(b.Consts) > 0 {
			differ = "their weights l and their operands"
		}
		f.Comment(fmt.Sprintf("%s computes one of %d blocks that differ in %s; the names in", fn, b.Count, differ))
		f.Comment("it are those of the first.")
		f.Func().Params(jen.Id("c").Op("*").Id(e.name("context"))).Id(fn).ParamsFunc(func(g *jen.Group) {
			if e.marks != nil {
				g.Id("p").Qual(pkgRuntime, "Profiler")
				g.Id("base").Int()
			}
			if len(b.Consts) > 0 {
				g.Id("l").Op("*").Id(n.fn + "Weights")
			}
			for _, x := range b.Params {
				g.Id(n.params[x]).Add(emitType(x.Type))
			}
		}).BlockFunc(func(g *jen.Group) {
			e.within = n
			shared := false
			e.readsWeights(b.Steps, func(*plan.Weight) { shared = true })
			if shared {
				g.Id("w").Op(":=").Id("c").Dot("w")
			}
			e.emitSteps(g, b.Steps)
			e.within = nil
		})
	}
}

// emitRolled emits the call of one repetition. It grows operands before the call:
//
//	c.layers(&w.layers[3], c.add4, c.add3)
func (e *emitter) emitRolled(g *jen.Group, s *plan.Rolled) {
	for _, x := range s.Args {
		if s.Grows(x) {
			e.emitGrow(g, x, e.emitDim(x.Len))
		}
	}
	fn := e.blocks[s.Block].fn
	if e.marks != nil {
		fn = e.blocks[s.Block].profile
	}
	e.note("c."+fn, s)
	g.Id("c").Dot(fn).CallFunc(func(g *jen.Group) {
		if e.marks != nil {
			g.Id("p")
			g.Lit(e.marks.noteBlock(s.Steps))
			e.named = nil
		}
		if len(s.Block.Consts) > 0 {
			g.Op("&").Id("w").Dot(e.blocks[s.Block].fn).Index(jen.Lit(s.Index))
		}
		for _, x := range s.Args {
			g.Add(e.emitVar(x))
		}
	})
}

package codegen

import (
	"fmt"
	"strings"

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
func (e *names) nameBlocks() {
	methods := ident.NewScope("run", "profile")
	for _, b := range e.p.Blocks {
		fn := methods.Local(e.name("layers"))
		n := &blockNames{fn: fn, profile: methods.Local("profile_" + fn), params: map[*plan.Var]string{}, consts: map[*plan.Var]string{}}
		locals := ident.NewLocals("c", "w", "l", "p", "base", "cpu", "math", "tensor", "in", "out")
		for _, x := range b.Params {
			n.params[x] = locals.Local(ident.Short(x.Value.Name))
		}
		fields := ident.NewScope()
		for i, x := range b.Consts {
			n.consts[x] = fields.Local(commonName(b, i))
		}
		e.blocks[b] = n
	}
}

// localNames returns the names of a block's local variables without the words that all of them begin with.
// They come from the first repetition.
func (e *names) localNames() map[*plan.Var]string {
	out := map[*plan.Var]string{}
	for _, b := range e.p.Blocks {
		var names [][]string
		for _, x := range b.Locals {
			names = append(names, words(ident.Brief(x.Value.Name)))
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
func commonName(b *plan.Block, i int) string {
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

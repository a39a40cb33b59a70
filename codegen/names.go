package codegen

import (
	"go/token"
	"strconv"
	"strings"
	"unicode"

	"github.com/bbgen/bbgen/ir"
)

// namer makes Go identifiers of the model's names, each once.
type namer struct{ used map[string]bool }

func newNamer(taken ...string) *namer {
	n := &namer{map[string]bool{}}
	for _, t := range taken {
		n.used[t] = true
	}
	return n
}

// local is an unexported identifier: "/layer1/conv.weight" is layer1ConvWeight.
func (n *namer) local(s string) string {
	id := camel(s)
	r := []rune(id)
	r[0] = unicode.ToLower(r[0])
	id = string(r)
	if !unicode.IsLetter(r[0]) {
		id = "v" + id
	}
	if token.IsKeyword(id) || id == "_" {
		id += "Value"
	}
	return n.unique(id)
}

// exported is an exported identifier: "input_ids" is InputIds.
func (n *namer) exported(s string) string {
	r := []rune(camel(s))
	r[0] = unicode.ToUpper(r[0])
	id := string(r)
	if !unicode.IsUpper(r[0]) {
		id = "X" + id
	}
	return n.unique(id)
}

func (n *namer) unique(id string) string {
	name := id
	for i := 2; n.used[name]; i++ {
		name = id + "_" + strconv.Itoa(i)
	}
	n.used[name] = true
	return name
}

// camel joins the words of s, each beginning with a capital.
func camel(s string) string {
	words := strings.FieldsFunc(ir.Ident(s), func(r rune) bool { return r == '_' })
	if len(words) == 0 {
		return "_"
	}
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			if last := b.String()[b.Len()-1]; last >= '0' && last <= '9' && w[0] >= '0' && w[0] <= '9' {
				b.WriteByte('_') // conv1_2 is not conv12
			}
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		b.WriteString(w)
	}
	return b.String()
}

package project

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/internal/gobuild"
)

// source is a Go file of the runtime or of its dependencies.
type source struct {
	name string
	text []byte
	ast  *ast.File // its package clause and imports
	file *token.File
}

func parseSource(name string, text []byte) (*source, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	return &source{name, text, f, set.File(f.Package)}, nil
}

// imported returns the paths of the imports.
func (s *source) imported() []string {
	var out []string
	for _, im := range s.ast.Imports {
		p, _ := strconv.Unquote(im.Path.Value)
		out = append(out, p)
	}
	return out
}

// named returns the paths of the imports by the names that they have in the file. "_" is no name.
func (s *source) named() map[string]string {
	out := map[string]string{}
	for i, p := range s.imported() {
		name := path.Base(p)
		if gobuild.IsMajorVersion(name) {
			name = path.Base(path.Dir(p))
		}
		if im := s.ast.Imports[i]; im.Name != nil {
			name = im.Name.Name
		}
		if name != "_" {
			out[name] = p
		}
	}
	return out
}

// head returns the comments before the package clause, without the build constraint, which it returns apart.
func (s *source) head() (constraint, comments string) {
	var rest strings.Builder
	for line := range strings.Lines(string(s.text[:s.file.Offset(s.ast.Package)])) {
		if strings.HasPrefix(line, "//go:build ") {
			constraint = strings.TrimSpace(line)
			continue
		}
		rest.WriteString(line)
	}
	return constraint, strings.TrimSpace(rest.String())
}

// body returns what follows the imports.
func (s *source) body() []byte {
	end := s.ast.Name.End()
	for _, d := range s.ast.Decls {
		end = d.End()
	}
	return bytes.TrimSpace(s.text[s.file.Offset(end):])
}

// systems returns the end of the file's name that names systems for which the Go command compiles it, such as _linux_amd64.
func (s *source) systems() string {
	base := strings.TrimSuffix(s.name, path.Ext(s.name))
	end := len(base)
	for range 2 {
		i := strings.LastIndexByte(base[:end], '_')
		if i < 0 || !isSystem(base[i+1:end]) {
			break
		}
		end = i
	}
	return base[end:]
}

// isSystem reports whether a word is an operating system or a processor that the Go command knows.
func isSystem(word string) bool {
	none := build.Context{OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}}
	ok, err := none.MatchFile("", "p_"+word+".go")
	return err == nil && !ok
}

package arch

import (
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/artifact/keys"
)

// keysFile declares the keys of metadata.
const keysFile = "artifact/keys/keys.go"

// keyLike matches keys of metadata and their beginnings, and similar names.
var keyLike = regexp.MustCompile(`^(bbgen\.|ai\.bytesandbrains(\.|$))[A-Za-z0-9_.]*$`)

// notKeys are the files and folders with names that look like keys.
var notKeys = map[string]string{
	"internal/cmd/manifest/manifest.go": "the name of a file",
	"internal/optest":                   "domains of operators",
	"ir/op/peer/domains.go":             "domains of operators",
	"runtime/host/nats":                 "subjects",
	"runtime/host/otlp":                 "attributes of spans",
	"runtime/host/peer/traces.go":       "attributes of a resource",
	"runtime/host/train/checkpoint.go":  "metadata of a checkpoint, which is no ONNX file",
}

// TestKeys: a key of metadata is declared in artifact/keys and nowhere else, and is named by the packages of its row alone.
func TestKeys(t *testing.T) {
	declared := declaredKeys(t)
	users, excepted := map[string]map[string]bool{}, map[string]bool{}
	for _, name := range codeFiles(t) {
		fset := token.NewFileSet()
		f := parsed(t, fset, filepath.Join("../..", name), nil)
		for _, lit := range keyLiterals(f) {
			if at := exceptionOf(name); at != "" {
				excepted[at] = true
			} else if name != keysFile {
				t.Errorf("%s:%d: %s looks like a key of metadata: declare it in %s, or give notKeys the reason why it is none",
					name, fset.Position(lit.Pos()).Line, lit.Value, keysFile)
			}
		}
		for _, constant := range namedKeys(f) {
			if key := declared[constant]; users[key] == nil {
				users[key] = map[string]bool{}
			}
			users[declared[constant]][path.Dir(name)] = true
		}
	}
	for _, k := range keys.All {
		got := slices.Sorted(maps.Keys(users[k.Name]))
		want := slices.Concat(k.Writes, k.Reads)
		slices.Sort(want)
		if want = slices.Compact(want); !slices.Equal(got, want) {
			t.Errorf("%s is named in %q, its row lists %q", k.Name, got, want)
		}
	}
	for at := range notKeys {
		if !excepted[at] {
			t.Errorf("%s has nothing that looks like a key: remove it from notKeys", at)
		}
	}
}

// TestKeyLike shows what looks like a key.
func TestKeyLike(t *testing.T) {
	src := "package p\nvar s = f(\"bbgen.classes\", \"ai.bytesandbrains.binding.\", `bbgen.`, \"ai.bytesandbrains\", 'b', 7,\n" +
		"\"bbgen\", \"bbgen.local/net\", \"see bbgen.classes\", \"x.bbgen.y\", \"ai.bytesandbrainsx\", keys.Loss)\n"
	var got []string
	for _, lit := range keyLiterals(parsed(t, token.NewFileSet(), "p.go", src)) {
		got = append(got, lit.Value)
	}
	if want := []string{`"bbgen.classes"`, `"ai.bytesandbrains.binding."`, "`bbgen.`", `"ai.bytesandbrains"`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// declaredKeys returns the keys by the names of their constants.
func declaredKeys(t *testing.T) map[string]string {
	declared := map[string]string{}
	ast.Inspect(parsed(t, token.NewFileSet(), filepath.Join("../..", keysFile), nil), func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Names) == 1 && len(spec.Values) == 1 {
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
				declared[spec.Names[0].Name], _ = strconv.Unquote(lit.Value)
			}
		}
		return true
	})
	for constant, key := range declared {
		beginning := key == keys.Own || key == keys.Recorded
		if listed := slices.ContainsFunc(keys.All, func(k keys.Key) bool { return k.Name == key }); !listed && !beginning && keyLike.MatchString(key) {
			t.Errorf("%s: %s has no row", keysFile, constant)
		}
	}
	return declared
}

// codeFiles returns the Go files of all modules, but for tests.
func codeFiles(t *testing.T) (files []string) {
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.ContainsRune("._", rune(d.Name()[0])) || d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == "vendor"):
			return fs.SkipDir
		case !d.IsDir() && path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// exceptionOf returns the file or folder of notKeys that a file belongs to, or "".
func exceptionOf(name string) string {
	for _, at := range []string{name, path.Dir(name)} {
		if notKeys[at] != "" {
			return at
		}
	}
	return ""
}

// keyLiterals returns the strings of a file that look like keys.
func keyLiterals(f *ast.File) (list []*ast.BasicLit) {
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && keyLike.MatchString(s) {
				list = append(list, lit)
			}
		}
		return true
	})
	return list
}

// namedKeys returns the constants of artifact/keys that a file names.
func namedKeys(f *ast.File) (list []string) {
	imports := importNames(f)
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && imports[x.Name] == module+"/"+path.Dir(keysFile) {
				list = append(list, s.Sel.Name)
			}
		}
		return true
	})
	return list
}

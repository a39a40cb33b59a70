package vet_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/vet"
)

// TestAnalyzer checks the diagnostics for the packages in testdata.
func TestAnalyzer(t *testing.T) {
	if err := analysis.Validate([]*analysis.Analyzer{vet.Analyzer}); err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, analysistest.TestData(), vet.Analyzer, "unread", "ports", "open", "quorum", "changed")
}

// The names that the analyzer looks up exist.
func TestNames(t *testing.T) {
	graph := reflect.TypeFor[*dsl.Graph]()
	f, err := parser.ParseFile(token.NewFileSet(), "unread.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	acts := f.Scope.Lookup("acts").Decl.(*ast.ValueSpec).Values[0].(*ast.CompositeLit).Elts
	if len(acts) < 10 {
		t.Fatalf("%d methods act", len(acts))
	}
	for _, x := range acts {
		name := x.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value
		if _, ok := graph.MethodByName(name[1 : len(name)-1]); !ok {
			t.Errorf("Graph has no method %s", name)
		}
	}
	for typ, names := range map[reflect.Type][]string{
		graph:                               {"NetOut", "Input", "PeerInTurn", "Self", "Sender", "PeerHealthGateTx", "BackoffGateTx", "Announce"},
		reflect.TypeFor[dsl.Aggregator]():   {"Contribute", "Aggregate", "AggregateWeighted"},
		reflect.TypeFor[dsl.PeerSelector](): {"Sample", "SelectRandom", "SelectNear"},
	} {
		for _, name := range names {
			if _, ok := typ.MethodByName(name); !ok {
				t.Errorf("%v has no method %s", typ, name)
			}
		}
	}
	_ = []any{dsl.Quorum, dsl.From}
}

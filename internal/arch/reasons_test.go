package arch

import "testing"

// A reason says why the packages of a group may import no more than their rows list. The longest match counts, and
// a match without a wildcard before it. A row that allows what one would not expect says why beside it.
type reason struct{ pkg, why string }

// Reasons that are the same for all packages.
const (
	whyNever   = "it is a program, an example or the expected output of a test, and may change at any time"
	whyModules = "users link, update and trust each module that bbgen requires, so a new one needs a row and a reason"
	whyWorldly = "an engine that does no I/O and draws its randomness from a seed can be replayed, and runs in a browser"
)

var reasons = []reason{
	{".", "it is the list of stages, and what one of them needs is that one's import"},

	// the compiler
	{"ir", "it defines the graph, and knows neither operators nor ONNX nor Go"},
	{"ir/...", "it reads or rewrites graphs, and knows neither how they are cut nor what is printed of them"},
	{"ir/target", "it is numbers, which all decisions about costs read"},
	{"ir/op", "it is the machinery of operators, and knows none of them"},
	{"ir/op/elem", "it is what families share, and knows none of them"},
	{"ir/op/*", "a family is read and changed without the others, and names their operators through the Builder"},
	{"ir/op/all", "it only lists the families"},
	{"ir/onnx/...", "it knows the format of files, and what no operator means"},
	{"artifact", "the dsl writes it and the compiler reads it, so it knows neither"},
	{"artifact/keys", "it is names, which all that read or write models share"},
	{"dsl/...", "it records programs, and what is made of them is the compiler's business"},
	{"partitioner/...", "it decides where and when nodes run, and knows neither Go nor kernels"},
	{"codegen/...", "it prints what plans have decided: it runs no pass, and cuts nothing"},
	{"codegen/ident", "it names things in Go, and knows no plan"},
	{"codegen/plan/...", "a plan is data: it prints nothing"},
	{"codegen/peerplan/...", "a plan is data: it prints nothing"},
	{"view/...", "it shows what the stages report, and decides nothing"},

	// remote devices
	{"remote", "a client links no compiler"},
	{"remote/protocol", "a client links it, and so no compiler"},
	{"remote/...", "a server holds a compiler, of which exec alone walks graphs, and prints no Go"},

	// commands, tools and tests
	{"cmd/...", "it only joins the verbs, each of which is a package"},
	{"internal/cmd/...", "a verb calls the compiler and hosts, and what several verbs need has a package of its own"},
	{"internal/...", "a tool imports what it is about, and is not rebuilt or broken by the rest"},
	{"internal/deploy", "it runs bbgen's output through go build, and compiles nothing itself"},
	{"internal/gobuild", "it runs the go command, and knows nothing of ours"},
	{"internal/project", "it puts files on disk, and compiles nothing"},
	{"docs", "it has tests alone, which use bbgen as users do: by its commands"},

	// the runtime
	{"runtime", "it is the engine, in all peers: no compiler, no host, and what needs no node is beside it"},
	{"runtime/...", "a shipped binary holds no compiler, and what is beside the engine needs no node"},
	{"runtime/internal/...", "it is a part of the engine, and is tested without a node"},
	{"runtime/cpu/...", "kernels know slices, and neither nodes nor messages"},
	{"runtime/tensor/...", "models without peers link it, and so no messages"},
	{"runtime/wire/...", "it encodes messages, and what they cause is the engine's business"},
	{"runtime/component/...", "a peer links the components in its slots, and no others, no host and no compiler"},
	{"runtime/host/...", "a binary links what its host needs, and neither other hosts nor a compiler"},

	// what bbgen writes
	{"*.bb.go", "generated code runs below any host, and holds no compiler"},
	{"generated_test/...", "a generated main chooses its hosts, and holds no compiler"},
}

// why returns the reason of the packages in a row.
func why(pkg string) string {
	var best reason
	for _, r := range reasons {
		if r.pkg == pkg {
			return r.why
		}
		if match(r.pkg, pkg) && len(r.pkg) > len(best.pkg) {
			best = r
		}
	}
	return best.why
}

// TestReasons tests that each row has a reason, and each reason a row.
func TestReasons(t *testing.T) {
	used := map[string]bool{}
	for _, r := range append([]rule{generatedRule}, rules...) {
		text := why(r.pkg)
		if text == "" {
			t.Errorf("%s has no reason", r.pkg)
		}
		used[text] = true
	}
	for _, r := range reasons {
		if !used[r.why] {
			t.Errorf("the reason of %s is that of no row", r.pkg)
		}
	}
}

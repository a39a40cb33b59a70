package arch

// module is the prefix of the paths of this module's packages.
const module = "github.com/bbgen/bbgen"

// A rule tells what the packages of one row may import.
//
// Paths in this module are relative to it; "." is its root. A path that ends in /... includes all packages
// below it, one that ends in /* the packages directly below it.
type rule struct {
	pkg  string   // the package of the row; the longest match counts
	ours []string // what it may import of this module
	ext  []string // what it may import of other modules: these paths and all below
}

const (
	arrow     = "github.com/apache/arrow-go/v18"
	brotli    = "github.com/andybalholm/brotli"
	compress  = "github.com/klauspost/compress"
	parquet   = "github.com/parquet-go/parquet-go"
	cdproto   = "github.com/chromedp/cdproto"
	chromedp  = "github.com/chromedp/chromedp"
	cobra     = "github.com/spf13/cobra"
	pflag     = "github.com/spf13/pflag" // cobra's own
	yaml      = "go.yaml.in/yaml/v3"
	cmp       = "github.com/google/go-cmp/cmp"
	cyclonedx = "github.com/CycloneDX/cyclonedx-go"
	goldmark  = "github.com/yuin/goldmark"
	image     = "golang.org/x/image"
	jennifer  = "github.com/dave/jennifer/jen"
	modfile   = "golang.org/x/mod/modfile"
	protobuf  = "google.golang.org/protobuf"
	protowire = "google.golang.org/protobuf/encoding/protowire"
	registry  = "github.com/google/go-containerregistry"
	syscpu    = "golang.org/x/sys/cpu"
	term      = "golang.org/x/term"
	xtools    = "golang.org/x/tools"
)

// compiler is all packages above the runtime that a verb of the command line and its helpers may import.
var compiler = []string{
	".", "artifact/...", "dsl/...", "ir/...", "partitioner", "codegen/...", "view/...",
	"internal/cmd/...", "internal/record", "internal/bench", "internal/digits",
}

// families returns what a family of operators may import: the machinery, and no other family, so that each
// can be read and changed separately.
func families(more ...string) []string {
	return append([]string{"ir", "ir/op", "ir/op/elem", "runtime/tensor"}, more...)
}

// besides are the packages that a row with "runtime" includes: what package runtime's declarations are made of, and what
// needs no node. A row may list them one by one instead.
var besides = []string{"runtime/classes", "runtime/fault", "runtime/limits", "runtime/model", "runtime/telemetry", "runtime/values"}

// generated is what generated files may link: neither hosts nor the compiler.
var generated = []string{
	"runtime", "runtime/collective", "runtime/tensor", "runtime/cpu", "runtime/cpu/imagedec", "runtime/wire", "runtime/component/...",
	"generated_test/...", "internal/bench/collective/load", // the author's own types, and the packages beside a main
}

// rules has a row for every package of the root module. Packages to come may
// stand in it.
var rules = []rule{
	{pkg: ".", ours: []string{"ir", "ir/engine", "ir/onnx", "ir/op", "ir/pass", "ir/precision", "ir/recompute", "ir/train", "partitioner", "codegen", "codegen/peerplan", "codegen/plan", "internal/bind", "runtime/tensor"}},

	// the compiler
	{pkg: "ir", ours: []string{"artifact/keys", "runtime/tensor"}}, // one definition of a dtype for compiler and runtime
	{pkg: "artifact", ours: []string{"artifact/keys", "ir"}},
	{pkg: "artifact/keys"}, // names
	{pkg: "ir/target"},     // numbers
	{pkg: "ir/op", ours: []string{"ir", "ir/op/elem", "ir/target", "runtime/tensor"}}, // machinery, which knows none of the operators
	{pkg: "ir/op/elem", ours: []string{"ir", "runtime/tensor"}},
	{pkg: "ir/op/*", ours: families()}, // a family, which names the operators of others through the Builder, and shares with them what ir/op has
	{pkg: "ir/op/conv", ours: families("ir/target")},
	{pkg: "ir/op/peer", ours: families("runtime/collective")}, // one definition of a collective, too
	{pkg: "ir/op/all", ours: []string{"ir/op", "ir/op/*"}},    // alone knows all families
	{pkg: "ir/grad", ours: []string{"ir", "ir/op", "ir/op/all", "runtime/tensor"}},
	{pkg: "ir/eval", ours: []string{"ir", "ir/op", "ir/op/all", "runtime/cpu", "runtime/cpu/imagedec", "runtime/tensor"}},
	{pkg: "ir/eval/gen", ours: []string{"ir/eval/gen/table"}}, // reads the kernels as text
	{pkg: "ir/eval/gen/table"},
	{pkg: "ir/pass", ours: []string{"ir", "ir/op", "ir/op/control", "ir/op/conv", "ir/op/sequence", "ir/op/training", "ir/target", "ir/grad", "ir/eval", "runtime/tensor"}},
	{pkg: "ir/precision", ours: []string{"ir", "ir/op", "ir/op/linear", "ir/pass", "ir/target", "runtime/tensor"}},
	{pkg: "ir/recompute", ours: []string{"ir", "ir/op", "ir/pass"}},
	{pkg: "ir/engine", ours: []string{"ir", "ir/op", "ir/op/peer", "ir/onnx", "ir/pass", "runtime/tensor"}},                                                              // what a backend computes is an ONNX model
	{pkg: "ir/train", ours: []string{"artifact/keys", "ir", "ir/op", "ir/op/peer", "ir/op/random", "ir/op/training", "ir/grad", "ir/pass", "ir/eval", "runtime/tensor"}}, // ir/eval for what a file computes before the first step,
	{pkg: "ir/onnx", ours: []string{"artifact/keys", "ir", "ir/onnx/onnxpb", "runtime/tensor", "runtime/tensor/raw", "runtime/tensor/tensorio"}, ext: []string{protobuf}},
	{pkg: "ir/onnx/onnxpb", ext: []string{protobuf}},
	{pkg: "dsl", ours: []string{"artifact", "artifact/keys", "ir", "ir/op", "ir/op/peer", "ir/onnx", "ir/pass", "ir/train", "runtime/host/suggest", "runtime/tensor"}},
	{pkg: "dsl/replicated", ours: []string{"dsl", "runtime/component/sampling"}}, // the component for its test
	{pkg: "dsl/secure", ours: []string{"dsl", "runtime/component/secagg"}},
	{pkg: "dsl/vet", ours: []string{"dsl"}, ext: []string{xtools}},                                                                                                                       // dsl for its tests
	{pkg: "dsl/nn", ours: []string{"dsl", "ir", "ir/op", "ir/onnx", "runtime/cpu", "runtime/host/disk", "runtime/tensor"}},                                                               // runtime/cpu draws what parameters begin with
	{pkg: "partitioner", ours: []string{"artifact", "ir", "ir/op", "ir/op/peer", "ir/pass", "ir/target", "runtime/collective", "runtime/tensor", "runtime/wire", "runtime/wire/edgeid"}}, // edges have their ids from the wire
	{pkg: "partitioner/interpret", ours: []string{"ir", "ir/eval", "ir/op", "ir/op/peer", "partitioner", "runtime/tensor"}},                                                              // for tests
	{pkg: "codegen/ident", ours: []string{"ir"}},
	{pkg: "codegen/plan", ours: []string{"ir", "ir/op", "ir/target", "ir/eval", "partitioner", "runtime/tensor"}}, // ir/eval for its packers
	{pkg: "codegen/peerplan", ours: []string{"codegen/ident", "codegen/plan", "ir", "ir/op", "ir/op/peer", "partitioner", "runtime/tensor"}},
	{pkg: "codegen/peerplan/plantest", ours: []string{"codegen/peerplan", "internal/golden", "ir", "ir/op", "ir/pass", "partitioner"}},                                                                                                     // for tests
	{pkg: "codegen", ours: []string{"artifact/keys", "codegen/ident", "codegen/peerplan", "codegen/plan", "ir", "ir/op", "ir/op/peer", "partitioner", "runtime", "runtime/collective", "runtime/tensor"}, ext: []string{jennifer, xtools}}, // runtime for GenVersion

	// the command line
	{pkg: "cmd/bbgen", ours: []string{"internal/cmd/*"}, ext: []string{cobra}},
	{pkg: "internal/cmd/*", ours: append([]string{"internal/gobuild", "internal/project", "runtime", "runtime/tensor/...", "runtime/component/dataset", "runtime/component/dp/accountant", "runtime/host/chaos", "runtime/host/dataparallel", "runtime/host/disk", "runtime/host/feed", "runtime/host/follow", "runtime/host/httpguard", "runtime/host/launch", "runtime/host/live", "runtime/host/otlp", "runtime/host/peer", "runtime/host/pipeline", "runtime/host/suggest", "runtime/host/train/..."}, compiler...), ext: []string{cobra, modfile, pflag, term, xtools}},
	{pkg: "internal/cmd/data", ours: []string{"internal/columnar", "internal/digits", "runtime/component/dataset", "runtime/tensor"}},
	{pkg: "internal/cmd/deploy", ours: []string{"internal/cmd/cli", "internal/deploy", "runtime/host/peer"}, ext: []string{cobra}},
	{pkg: "internal/cmd/remote", ours: []string{"internal/cmd/cli", "remote/server", "runtime/cpu", "runtime/host/machine", "runtime/host/peer", "runtime/tensor", "runtime/wire"}, ext: []string{cobra}},
	{pkg: "internal/cmd/doctor", ours: []string{"internal/cmd/cli", "internal/project", "runtime/cpu", "runtime/host/machine"}, ext: []string{cobra}},
	{pkg: "internal/cmd/tune", ours: append([]string{"internal/bench/section", "internal/project", "runtime/cpu", "runtime/host/disk"}, compiler...), ext: []string{cobra}}, // it runs the kernels whose speeds it measures
	{pkg: "internal/cmd/vet", ours: []string{"dsl/vet", "internal/cmd/cli", "internal/record", "ir", "ir/op", "ir/onnx"}, ext: []string{cobra, xtools}},
	{pkg: "internal/cmd/manifest", ours: []string{"internal/cmd/cli"}, ext: []string{cobra, yaml}},
	{pkg: "view", ours: []string{".", "codegen", "codegen/plan", "ir", "ir/op", "partitioner", "runtime/host/httpguard", "runtime/tensor"}},                               // a page is served with care
	{pkg: "internal/columnar", ours: []string{"runtime/component/dataset", "runtime/tensor", "runtime/tensor/tensorio"}, ext: []string{parquet, arrow, compress, brotli}}, // for the tool alone: trainers read arrays
	{pkg: "internal/bind", ours: []string{"artifact", "codegen", "codegen/peerplan", "ir", "ir/op", "ir/op/peer", "partitioner", "runtime/tensor"}, ext: []string{xtools}},
	{pkg: "internal/deploy", ours: []string{"internal/project", "runtime", "runtime/host/peer"}, ext: []string{cyclonedx, registry}},                                             // runs go build, and compiles nothing itself
	{pkg: "internal/project", ours: []string{".", "codegen", "internal/gobuild", "ir", "runtime/host/disk", "runtime/host/lockfile"}, ext: []string{modfile, xtools + "/txtar"}}, // puts files on disk, and compiles nothing
	{pkg: "internal/gobuild"}, // runs the go command, and knows nothing of ours
	{pkg: "internal/project/vendorgen", ext: []string{xtools + "/txtar"}},
	{pkg: "docs", ext: []string{registry}}, // tests alone, which push images to a registry of their own
	{pkg: "internal/site", ours: []string{"internal/cmd/view", "internal/browsertest"}, ext: []string{goldmark}},
	{pkg: "internal/record", ours: compiler, ext: []string{cobra, term, xtools}},
	{pkg: "internal/bench", ours: append([]string{"internal/bench/peak", "internal/bench/section", "internal/project", "runtime/cpu", "runtime/tensor", "runtime/tensor/compare", "runtime/tensor/tensorio"}, compiler...), ext: []string{cobra, term, xtools}},

	{pkg: "internal/bench/peak", ours: []string{"runtime/cpu"}, ext: []string{syscpu}},
	{pkg: "internal/bench/products", ours: []string{"internal/bench/peak", "internal/bench/section", "runtime/cpu", "runtime/tensor"}},
	{pkg: "internal/bench/remote", ours: []string{"internal/bench/section", "ir/eval", "ir/onnx", "remote", "remote/exec", "remote/server", "runtime/cpu", "runtime/tensor", "runtime/wire"}},
	{pkg: "internal/bench/section"},
	{pkg: "internal/bench/distributed", ours: []string{".", "internal/bench/distributed/program/plan", "internal/bench/distributed/stream", "internal/bench/section", "internal/gobuild", "internal/project", "internal/record", "runtime/host/launch", "runtime/host/peer"}},
	{pkg: "internal/bench/distributed/messages", ours: []string{".", "dsl", "ir/onnx"}},
	{pkg: "internal/bench/distributed/masked", ours: []string{"dsl", "dsl/secure", "internal/bench/distributed/program/plan", "runtime/component/dp"}},
	{pkg: "internal/bench/distributed/program", ours: []string{"dsl", "internal/bench/distributed/program/plan", "runtime/component/fedavg", "runtime/tensor"}},
	{pkg: "internal/bench/distributed/program/plan", ours: []string{"runtime", "runtime/tensor"}}, // a peer links it
	{pkg: "internal/bench/distributed/stream", ours: []string{"dsl", "internal/bench/distributed/program/plan"}},
	{pkg: "internal/bench/collective", ours: []string{".", "internal/bench/collective/load", "internal/bench/section", "internal/digits", "internal/gobuild", "internal/project", "ir/onnx", "ir/train", "runtime/collective", "runtime/component/dataset", "runtime/host/launch", "runtime/host/peer", "runtime/host/rusage", "runtime/host/train", "runtime/tensor"}},
	{pkg: "internal/bench/collective/load", ours: []string{"runtime", "runtime/tensor"}}, // a worker links it
	{pkg: "internal/bench/collective/plain", ours: []string{"runtime/host/peer", "runtime/wire"}},
	{pkg: "internal/bench/collective/program", ours: []string{".", "dsl", "internal/bench/collective/load", "internal/record"}},
	{pkg: "internal/bench/collective/worker", ours: []string{"internal/bench/collective/plain", "internal/bench/collective/worker/partition", "runtime/host/peer", "runtime/host/tcp"}},
	{pkg: "internal/bench/collective/worker/partition", ours: generated},
	{pkg: "internal/bench/train", ours: []string{".", "codegen", "internal/bench/section", "internal/gobuild", "internal/project", "ir", "ir/onnx", "ir/op", "ir/train", "runtime/tensor"}},

	// remote devices. A client links no compiler. A server does, and walks graphs: they come while
	// it runs, and it need not have Go; it is the one binary that may, and exec the one package.
	{pkg: "remote", ours: []string{"remote/protocol", "runtime/host/peer", "runtime/host/tcp", "runtime/tensor", "runtime/wire"}},
	{pkg: "remote/protocol", ours: []string{"runtime/host/peer", "runtime/tensor/...", "runtime/wire"}, ext: []string{protowire}},
	{pkg: "remote/server", ours: []string{"ir", "ir/eval", "remote/exec", "remote/protocol", "runtime/cpu", "runtime/host/peer", "runtime/host/tcp", "runtime/tensor", "runtime/wire"}},
	{pkg: "remote/exec", ours: []string{"codegen/plan", "ir", "ir/eval", "ir/onnx", "ir/op", "ir/pass", "runtime/host/suggest", "runtime/tensor"}, ext: []string{protowire}},

	// for tests
	{pkg: "internal/arch"},
	{pkg: "internal/browsertest", ext: []string{chromedp, cdproto}},
	{pkg: "internal/conformance"},
	{pkg: "internal/fresh", ours: []string{".", "codegen", "dsl", "internal/project", "ir/onnx"}},
	{pkg: "internal/isa"},
	{pkg: "internal/modcache"},
	{pkg: "internal/gradcheck", ours: []string{"ir", "ir/eval", "ir/grad", "ir/op", "ir/pass", "runtime/tensor"}},
	{pkg: "internal/optest", ours: []string{"internal/forward", "internal/gradcheck", "ir", "ir/eval", "ir/op", "ir/op/all", "ir/pass", "runtime/cpu", "runtime/tensor"}, ext: []string{xtools + "/txtar"}}, // tests a family below ir/op from outside
	{pkg: "internal/forward", ours: []string{"ir", "ir/op", "ir/op/all", "runtime/tensor", "runtime/tensor/compare"}},
	{pkg: "internal/digits", ext: []string{image}},
	{pkg: "internal/handmade", ours: []string{"runtime", "runtime/collective", "runtime/tensor", "runtime/wire", "runtime/wire/edgeid"}, ext: []string{protowire}},
	{pkg: "internal/handmade/kills", ours: []string{"internal/handmade", "runtime", "runtime/tensor", "runtime/host/launch", "runtime/host/peer"}},
	{pkg: "internal/handmade/peer", ours: []string{"internal/handmade", "runtime", "runtime/tensor", "runtime/host/otlp/otlptest", "runtime/host/peer", "runtime/host/tcp"}},
	{pkg: "internal/simulate", ours: []string{"artifact", "dsl", "codegen", "internal/bind", "internal/simulate/parts", "ir", "ir/pass", "partitioner", "runtime", "runtime/tensor", "runtime/wire"}},
	{pkg: "internal/simulate/parts", ours: []string{"runtime", "runtime/component/...", "runtime/tensor", "runtime/wire"}},
	{pkg: "internal/simulate/explore", ours: []string{"runtime", "runtime/tensor", "runtime/wire", "runtime/wire/edgeid", "runtime/host/mem"}},
	{pkg: "internal/simulate/collectives", ours: []string{"runtime", "runtime/collective", "runtime/tensor", "runtime/wire", "runtime/wire/edgeid", "runtime/host/mem"}},
	{pkg: "internal/simulate/simulate", ours: []string{"internal/simulate/explore", "runtime/tensor"}},
	{pkg: "internal/mutate"},
	{pkg: "internal/simulate/runner", ours: []string{"internal/simulate/parts", "runtime", "runtime/tensor", "runtime/host/mem"}},
	{pkg: "internal/randomprogram", ours: []string{"codegen", "codegen/peerplan", "dsl", "ir", "ir/eval", "ir/onnx", "ir/op", "ir/op/peer", "ir/pass", "partitioner", "partitioner/interpret", "runtime/tensor"}},
	{pkg: "internal/randomprogram/fuzz", ours: []string{"internal/randomprogram"}},
	{pkg: "internal/randomgraph", ours: []string{"ir", "ir/op", "ir/op/all", "runtime/tensor"}},
	{pkg: "internal/randomgraph/differ", ours: append([]string{"internal/project", "internal/randomgraph", "runtime/cpu", "runtime/tensor", "runtime/tensor/compare", "runtime/tensor/tensorio"}, compiler...)},
	{pkg: "internal/randomgraph/fuzz", ours: []string{"internal/project", "internal/randomgraph/differ"}},
	{pkg: "internal/failtest"}, // for tests of what helps tests
	{pkg: "internal/golden", ext: []string{xtools + "/txtar"}},
	{pkg: "internal/statetest", ours: []string{"runtime"}},         // for tests of components
	{pkg: "internal/testreport", ext: []string{xtools + "/txtar"}}, // reads the output of go test in .ci/run

	// the runtime
	{pkg: "runtime", ours: []string{"runtime", "runtime/collective", "runtime/wire", "runtime/tensor", "runtime/internal/..."}},
	{pkg: "runtime/internal/enginetest"}, // tests alone
	{pkg: "runtime/internal/begun", ours: []string{"runtime/wire"}},
	{pkg: "runtime/internal/estimate"}, // numbers
	{pkg: "runtime/internal/reason", ours: []string{"runtime/wire"}},
	{pkg: "runtime/internal/snapshot", ours: []string{"runtime/tensor", "runtime/values", "runtime/values/spooltest", "runtime/wire"}},
	{pkg: "runtime/internal/checkpoint"},                               // numbers
	{pkg: "runtime/internal/extremes"},                                 // numbers
	{pkg: "runtime/internal/inbox"},                                    // numbers
	{pkg: "runtime/internal/ledger", ours: []string{"runtime/limits"}}, // numbers, and how they are shared
	{pkg: "runtime/internal/outbox", ours: []string{"runtime/internal/container", "runtime/internal/inbox", "runtime/internal/ledger", "runtime/tensor", "runtime/values", "runtime/wire"}},
	{pkg: "runtime/internal/quorum", ours: []string{"runtime/internal/container"}},
	{pkg: "runtime/internal/results", ours: []string{"runtime/internal/container"}},
	{pkg: "runtime/internal/random", ours: []string{"runtime/classes"}}, // a source for each class
	{pkg: "runtime/fault"}, // stacks
	{pkg: "runtime/internal/container", ours: []string{"runtime/wire"}}, // hashes of names
	{pkg: "runtime/classes"},                                                            // names
	{pkg: "runtime/telemetry"},                                                          // numbers
	{pkg: "runtime/limits", ours: []string{"runtime/wire"}},                             // the wire has limits of its own
	{pkg: "runtime/model", ours: []string{"runtime/tensor", "runtime/values"}},          // values for how a type is written
	{pkg: "runtime/values", ours: []string{"runtime/tensor", "runtime/wire"}},           // bytes and tensors: no node
	{pkg: "runtime/values/spooltest", ours: []string{"runtime/tensor", "runtime/wire"}}, // for tests
	{pkg: "runtime/collective", ours: []string{"runtime/cpu", "runtime/tensor"}},        // sums
	{pkg: "runtime/tensor"},
	{pkg: "runtime/tensor/npz", ours: []string{"runtime/tensor", "runtime/tensor/tensorio"}},
	{pkg: "runtime/tensor/raw", ours: []string{"runtime/tensor"}},
	{pkg: "runtime/tensor/safetensors", ours: []string{"runtime/tensor", "runtime/tensor/raw"}},
	{pkg: "runtime/internal/protofield", ext: []string{protowire}},
	{pkg: "runtime/tensor/tensorio", ours: []string{"runtime/internal/protofield", "runtime/tensor", "runtime/tensor/raw"}, ext: []string{protowire}},
	{pkg: "runtime/cpu", ours: []string{"runtime/tensor"}, ext: []string{syscpu}},
	{pkg: "runtime/cpu/crc32c", ours: []string{"runtime/cpu"}, ext: []string{syscpu}}, // for the level
	{pkg: "runtime/cpu/imagedec", ours: []string{"runtime/cpu"}},                      // for the error that kernels fail with
	{pkg: "runtime/tensor/compare", ours: []string{"runtime/tensor"}},
	{pkg: "runtime/component/checkpoint", ours: []string{"runtime", "runtime/tensor/..."}},
	{pkg: "runtime/wire", ours: []string{"runtime/cpu/crc32c", "runtime/tensor"}, ext: []string{protowire}},
	{pkg: "runtime/wire/edgeid", ours: []string{"runtime/wire"}}, // for compilers: a peer has the hashes as numbers
	{pkg: "runtime/component/...", ours: []string{"runtime", "runtime/component/internal/...", "runtime/cpu", "runtime/tensor", "runtime/wire"}},
	{pkg: "runtime/component/backend", ours: []string{"runtime/internal/protofield", "runtime/tensor", "runtime/tensor/tensorio"}},
	{pkg: "runtime/component/dp/...", ours: []string{"runtime", "runtime/component/fedavg", "runtime/component/internal/...", "runtime/component/peers", "runtime/cpu", "runtime/tensor", "runtime/wire"}},
	{pkg: "runtime/component/dp/accountant"}, // arithmetic
	{pkg: "runtime/component/dataset", ours: []string{"runtime/tensor/..."}},
	{pkg: "runtime/component/shard", ours: []string{"runtime", "runtime/component/dataset", "runtime/tensor", "runtime/wire"}},
	{pkg: "runtime/component/delta", ours: []string{"runtime", "runtime/component/codec", "runtime/tensor"}},
	{pkg: "runtime/component/selection", ours: []string{"runtime", "runtime/component/peers", "runtime/wire"}},
	{pkg: "runtime/component/gossip", ours: []string{"runtime", "runtime/component/sampling", "runtime/tensor", "runtime/wire"}},
	{pkg: "runtime/component/kademlia", ours: []string{"runtime", "runtime/limits", "runtime/tensor", "runtime/wire"}},
	{pkg: "runtime/component/registry", ours: []string{"runtime", "runtime/component/peers", "runtime/tensor", "runtime/wire"}},
	{pkg: "runtime/component/sampling", ours: []string{"runtime", "runtime/component/peers", "runtime/tensor", "runtime/wire"}},
	{pkg: "runtime/component/walk", ours: []string{"runtime", "runtime/component/peers", "runtime/component/sampling", "runtime/tensor", "runtime/wire"}},
	{pkg: "runtime/component/robust/...", ours: []string{"runtime", "runtime/component/internal/...", "runtime/component/robust/...", "runtime/cpu", "runtime/tensor", "runtime/wire"}},
	{pkg: "runtime/component/qfedavg", ours: []string{"runtime", "runtime/component/robust", "runtime/cpu", "runtime/tensor", "runtime/wire"}},
	{pkg: "runtime/component/schedule"},
	{pkg: "runtime/host/mem", ours: []string{"runtime", "runtime/collective", "runtime/internal/container", "runtime/tensor", "runtime/wire"}}, // collective for its tests
	{pkg: "runtime/host/*", ours: []string{"runtime", "runtime/wire"}},
	{pkg: "runtime/host/chaos"},
	{pkg: "runtime/host/disk"},
	{pkg: "runtime/host/disk/disktest", ours: []string{"runtime/host/disk"}},
	{pkg: "runtime/host/lockfile"},
	{pkg: "runtime/host/suggest"},
	{pkg: "runtime/host/machine"},
	{pkg: "runtime/host/follow", ours: []string{"runtime", "runtime/tensor", "runtime/wire"}}, // events, as any host has them
	{pkg: "runtime/host/feed", ours: []string{"runtime", "runtime/host/disk", "runtime/host/follow", "runtime/tensor/...", "runtime/wire"}},
	{pkg: "runtime/host/peer/internal/spool", ours: []string{"runtime/host/disk", "runtime/host/machine", "runtime/tensor", "runtime/wire"}},                                                                                                                           // values and files: no node, no network
	{pkg: "runtime/host/peer/internal/state", ours: []string{"runtime/host/disk", "runtime/host/lockfile", "runtime/wire"}},                                                                                                                                            // wire for its checksum
	{pkg: "runtime/host/peer/status", ours: []string{"runtime", "runtime/host/httpguard", "runtime/host/live", "runtime/tensor", "runtime/wire"}},                                                                                                                      // reports as data, and pages of them
	{pkg: "runtime/host/peer/internal/conversation", ours: []string{"runtime", "runtime/host/peer/internal/spool", "runtime/wire"}},                                                                                                                                    // payloads come into a spool; runtime says which are final
	{pkg: "runtime/host/peer/internal/connection", ours: []string{"runtime", "runtime/host/disk", "runtime/host/internal/mailbox", "runtime/host/peer/internal/conversation", "runtime/host/peer/internal/spool", "runtime/limits", "runtime/tensor", "runtime/wire"}}, // a node is given envelopes; it knows no host and no transport; disk and spool for its tests
	{pkg: "runtime/host/peer/internal/upgrade", ours: []string{"runtime/host/disk/...", "runtime/host/peer/internal/state"}},                                                                                                                                           // files and processes: no node, no network
	{pkg: "runtime/host/peer/internal/output", ours: []string{"runtime", "runtime/host/disk", "runtime/host/feed", "runtime/host/peer/status", "runtime/tensor"}},                                                                                                      // status for the form of a line
	{pkg: "runtime/host/peer/trust", ours: []string{"runtime", "runtime/host/disk", "runtime/host/lockfile", "runtime/host/peer/internal/state", "runtime/wire"}},                                                                                                      // files, and what a node is told of its peers: no stream
	{pkg: "runtime/host/internal/mailbox"},
	{pkg: "runtime/host/ingress", ours: []string{"runtime", "runtime/tensor", "runtime/wire", "runtime/host/follow", "runtime/host/internal/mailbox", "internal/handmade"}}, // for hosts of one's own
	{pkg: "runtime/host/peer", ours: []string{"runtime/host/internal/mailbox", "runtime/host/peer/internal/...", "runtime/host/peer/status", "runtime/host/peer/trust", "runtime/host/httpguard", "runtime/host/live", "runtime/host/otlp/...", "runtime/host/chaos", "runtime/host/disk/...", "runtime/host/feed", "runtime/host/follow", "runtime/host/lockfile", "runtime/host/machine", "runtime/host/suggest", "runtime", "runtime/wire", "runtime/cpu", "runtime/tensor/..."}},
	{pkg: "runtime/host/hosttest", ours: []string{"internal/handmade", "runtime", "runtime/collective", "runtime/wire", "runtime/wire/edgeid", "runtime/tensor", "runtime/host/peer", "runtime/host/tcp"}}, // tcp for its tests
	{pkg: "runtime/host/channel", ours: []string{"runtime/wire", "runtime/host/peer"}},
	{pkg: "runtime/host/tcp", ours: []string{"runtime", "runtime/tensor", "runtime/wire", "runtime/host/channel", "runtime/host/peer", "runtime/host/hosttest"}}, // runtime, tensor and hosttest for its tests,
	{pkg: "runtime/host/run", ours: []string{"runtime/host/disk", "runtime/host/machine", "runtime/host/suggest", "runtime", "runtime/tensor/...", "runtime/cpu", "runtime/host/rusage"}},
	{pkg: "runtime/host/launch", ours: []string{"runtime", "runtime/tensor", "runtime/wire", "runtime/host/peer", "runtime/host/tcp"}}, // tcp, runtime and tensor for its tests
	{pkg: "runtime/host/sim", ours: []string{"runtime", "runtime/tensor", "runtime/host/chaos", "runtime/host/disk", "runtime/host/feed", "runtime/host/follow", "runtime/host/mem", "runtime/host/rusage", "runtime/wire"}},
	{pkg: "runtime/host/otlp", ours: []string{"runtime", "runtime/wire"}, ext: []string{protowire}}, // protocol buffers without generated code
	{pkg: "runtime/host/otlp/otlptest", ext: []string{protowire}},
	{pkg: "runtime/host/httpguard"},
	{pkg: "runtime/host/live", ours: []string{"runtime/host/httpguard"}},
	{pkg: "runtime/host/serve", ours: []string{"runtime/host/httpguard", "runtime/host/machine", "runtime", "runtime/tensor/...", "runtime/cpu", "runtime/host/run", "runtime/host/pprof"}},
	{pkg: "runtime/host/pprof", ours: []string{"runtime", "runtime/cpu", "runtime/host/disk", "runtime/host/run"}},
	{pkg: "runtime/host/tensorboard", ours: []string{"runtime/host/tensorboard/...", "runtime/tensor"}, ext: []string{protowire}},
	{pkg: "runtime/host/tensorboard/eventtest", ext: []string{protowire}},
	{pkg: "runtime/host/train", ours: []string{"runtime", "runtime/collective", "runtime/tensor/...", "runtime/cpu", "runtime/component/dataset", "runtime/component/schedule", "runtime/host/disk", "runtime/host/lockfile", "runtime/host/machine", "runtime/host/suggest", "runtime/host/tensorboard"}},
	{pkg: "runtime/host/train/web", ours: []string{"runtime", "runtime/host/live", "runtime/host/tensorboard", "runtime/host/train", "runtime/tensor"}},
	{pkg: "runtime/host/dataparallel", ours: []string{"runtime", "runtime/collective", "runtime/host/launch", "runtime/host/peer", "runtime/host/tcp", "runtime/host/train/...", "runtime/tensor", "runtime/wire"}},                                                                        // launch for its tests
	{pkg: "runtime/host/pipeline", ours: []string{"runtime", "runtime/cpu", "runtime/host/launch", "runtime/host/machine", "runtime/host/peer", "runtime/host/pipeline/schedule", "runtime/host/suggest", "runtime/host/tcp", "runtime/host/train/...", "runtime/tensor", "runtime/wire"}}, // launch for its tests
	{pkg: "runtime/host/pipeline/schedule"}, // numbers
	{pkg: "runtime/host/replay", ours: []string{"runtime", "runtime/tensor/..."}},
	{pkg: "runtime/host/jobs", ours: []string{"runtime", "runtime/host/run"}},

	// what bbgen writes, as far as its files do not end in .bb.go: mains and sim
	{pkg: "generated_test/program/choosing", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/choosing/parts", ours: generated},
	{pkg: "generated_test/program/counting", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/counting/parts", ours: generated},
	{pkg: "generated_test/program/drifting", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/drifting/parts", ours: generated},
	{pkg: "generated_test/program/everything", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/federation", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/finding", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/finding/parts", ours: generated},
	{pkg: "generated_test/program/gossip", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/halves", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/hidden", ours: append([]string{"dsl", "dsl/secure"}, generated...)},
	{pkg: "generated_test/program/own", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/own/parts", ours: generated, ext: []string{protobuf}}, // messages as the author's own types
	{pkg: "generated_test/program/post", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/ready", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/roles", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/roles/parts", ours: generated, ext: []string{protowire}},
	{pkg: "generated_test/program/strategies", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/strategies/parts", ours: generated},
	{pkg: "generated_test/program/together", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/together/parts", ours: generated},
	{pkg: "generated_test/program/walking", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/program/wide", ours: append([]string{"dsl"}, generated...)},
	{pkg: "generated_test/...", ours: append([]string{"runtime/host/*"}, generated...)},
}

// generatedRule applies to every *.bb.go, in any folder.
var generatedRule = rule{pkg: "*.bb.go", ours: generated}

// testExt is what tests may import of other modules, in addition to the imports of their package.
var testExt = []string{
	cmp, "github.com/google/go-cmp", "github.com/rogpeppe/go-internal", "pgregory.net/rapid",
	chromedp, cdproto, modfile, xtools + "/txtar", protobuf, yaml, parquet, arrow,
}

// neverImported are packages that no other package imports, except their own tests.
var neverImported = []string{"cmd/...", "examples/...", "generated_test/..."}

// worldly are packages of the standard library that only runtime/host may import in the runtime.
var worldly = []string{"net", "os", "syscall", "crypto/rand"}

// worldlyExcept is what single files may import of these packages.
//
// NB: an environment variable may lower the level of kernels; it is read once, at the start. Some files make
// system calls: for memory in large pages, for a thread that waits for another, and for the permission to use
// tiles.
var worldlyExcept = map[string]string{
	"runtime/cpu/amx_linux_amd64.go":     "syscall",
	"runtime/cpu/level.go":               "syscall",
	"runtime/cpu/pool_linux.go":          "syscall",
	"runtime/tensor/largepages_linux.go": "syscall",
}

// starters are the packages and files of the runtime that may start processes, each with its reason. None may
// start the go command: a machine with peers needs no Go. internal/gobuild runs it, for tools and examples.
var starters = map[string]string{
	"runtime/host/launch":                "a fleet is peers that run as processes",
	"runtime/host/hosttest":              "tests of a host run peers as processes",
	"runtime/host/peer/internal/upgrade": "a host asks the binary that is to replace it for its version",
}

// clock is what only runtime/host may use of package time in the runtime: the engine gets the time from its
// host.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// mayGo are the only files of the runtime outside runtime/host that may start goroutines: the thread pool of
// kernels.
const mayGo = "runtime/cpu/pool*.go"

package codegen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// emitPartition emits the package's API, which consists of Config, Partition and Install, and the tables that
// the engine reads.
func (e *partitionEmitter) emitPartition(f *jen.File) {
	f.PackageComment(fmt.Sprintf("Package %s is what peers of class %s run of the program %s:", e.opt.Package, e.Part.Class, e.Part.Program.Name))
	f.PackageComment("blocks of straight-line code between the points where values arrive, compiled")
	f.PackageComment("by bbgen.")
	f.PackageComment("")
	f.PackageComment("[Install] makes a node of it for a host of one's own.")
	emitHandshake(f)
	e.emitConsts(f)
	e.emitConfig(f)
	e.emitPeer(f)
	e.emitMake(f)
	e.emitDefault(f)
	e.emitInstall(f)
	e.emitEdges(f)
}

// emitConfig emits a field for each slot.
func (e *partitionEmitter) emitConfig(f *jen.File) {
	f.Comment("Config holds the components of the slots when the peer starts.")
	f.Type().Id("Config").StructFunc(func(g *jen.Group) {
		for _, s := range e.Slots {
			g.Id(s.Config).Add(emitComponent(s.Package, s.Type)).Comment("the " + strings.ReplaceAll(s.Role, "_", " ") + " in slot " + s.Name)
		}
	})
	f.Comment("DefaultConfig is what the program's author has chosen.")
	f.Func().Id("DefaultConfig").Params().Id("Config").Block(jen.Return(jen.Id("Config").CustomFunc(multilineIf(len(e.Slots) > 0), func(g *jen.Group) {
		for _, s := range e.Slots {
			g.Id(s.Config).Op(":").Add(emitLiteral(s.Value))
		}
	})))
}

func multilineIf(multi bool) jen.Options {
	o := multiline
	o.Multi = multi
	return o
}

// emitPeer emits the struct that all frames share.
func (e *partitionEmitter) emitPeer(f *jen.File) {
	f.Comment("peer is what the frames share: the components, and the memory of computations.")
	f.Type().Id("peer").StructFunc(func(g *jen.Group) {
		g.Id("env").Qual(pkgRuntime, "Env")
		for _, s := range e.Slots {
			g.Id(s.Field).Add(emitComponent(s.Package, s.Type))
		}
		for _, c := range e.computes {
			g.Id(c.Field).Op("*").Id(c.name("context"))
		}
		for _, c := range e.Constants {
			g.Id(c.Field).Add(emitValueType(c.Value.Type)).Comment(c.Value.Type.String())
		}
		for _, s := range e.Stores {
			g.Id(s.Field).Qual(pkgRuntime, s.Type)
		}
		for _, x := range e.Wholes {
			g.Id(x.Field).Add(emitValueType(x.Value.Type)).Comment("what one peer has sent, while it is contributed")
		}
	})
}

// emitMake emits the constructor of the partition.
func (e *partitionEmitter) emitMake(f *jen.File) {
	f.Comment("Partition is the partition with these components in its slots.")
	f.Func().Id("Partition").Params(jen.Id("env").Qual(pkgRuntime, "Env"), jen.Id("c").Id("Config")).Params(jen.Op("*").Qual(pkgRuntime, "Partition"), jen.Error()).BlockFunc(func(g *jen.Group) {
		g.Id("p").Op(":=").Op("&").Id("peer").CustomFunc(multilineIf(len(e.Slots) > 1), func(g *jen.Group) {
			g.Id("env").Op(":").Id("env")
			for _, s := range e.Slots {
				g.Id(s.Field).Op(":").Id("c").Dot(s.Config)
			}
		})
		for _, s := range e.Slots {
			for _, field := range slices.Sorted(maps.Keys(s.Needs)) {
				g.Id("p").Dot(s.Field).Dot(field).Op("=").Op("&").Id("p").Dot(e.Slot(s.Needs[field]).Field)
			}
		}
		for _, s := range e.Slots {
			if s.Opens {
				g.If(jen.Err().Op(":=").Id("p").Dot(s.Field).Dot("Open").Call(jen.Id("env")), jen.Err().Op("!=").Nil()).Block(
					jen.Return(jen.Nil(), jen.Qual("fmt", "Errorf").Call(jen.Lit("slot "+s.Name+": %w"), jen.Err())),
				)
			}
		}
		e.emitLoad(g)
		e.emitGraphs(g)
		for _, s := range e.Stores {
			g.Id("p").Dot(s.Field).Dot("Name").Op("=").Lit(s.Name)
		}
		g.Return(jen.Op("&").Qual(pkgRuntime, "Partition").Custom(multiline, e.emitTable()...), jen.Nil())
	})
}

// emitTable emits the fields of the runtime's Partition.
func (e *partitionEmitter) emitTable() []jen.Code {
	rows := []jen.Code{
		jen.Id("Class").Op(":").Lit(e.Part.Class),
		jen.Id("Fingerprint").Op(":").Index().Byte().Call(jen.Id("Fingerprint")),
		jen.Id("Schema").Op(":").Op(fmt.Sprintf("%#x", e.Schema)),
		jen.Id("Edges").Op(":").Id("edges").Index(jen.Op(":")),
		jen.Id("Modules").Op(":").Add(e.emitModules()),
		jen.Id("Slots").Op(":").Index().String().ValuesFunc(func(g *jen.Group) {
			for _, q := range e.Queues {
				g.Lit(q)
			}
		}),
		jen.Id("Components").Op(":").Index().Qual(pkgRuntime, "Component").ValuesFunc(func(g *jen.Group) {
			for _, s := range e.Kept() {
				g.Op("&").Id("p").Dot(s.Field)
			}
		}),
	}
	if e.Commanded != nil {
		rows = append(rows, jen.Id("Commanded").Op(":").Index().Int().ValuesFunc(func(g *jen.Group) {
			for _, queue := range e.Commanded {
				g.Lit(queue)
			}
		}))
	}
	if len(e.Stores) > 0 {
		rows = append(rows, jen.Id("Stores").Op(":").Index().Qual(pkgRuntime, "Store").ValuesFunc(func(g *jen.Group) {
			for _, s := range e.Stores {
				g.Op("&").Id("p").Dot(s.Field)
			}
		}))
	}
	return rows
}

// emitLoad emits code that takes the constants from the weights file.
func (e *partitionEmitter) emitLoad(g *jen.Group) {
	if e.hasWeights() {
		g.Id("b").Op(":=").Qual(pkgTensor, "Embedded").Call(jen.Id("weightsFile"))
		emitWeightCheck(g, func(err ...jen.Code) *jen.Statement { return jen.Return(append([]jen.Code{jen.Nil()}, err...)...) })
	}
	for _, c := range e.computes {
		var constants []jen.Code
		if c.hasConstants() {
			weights := c.Part + "Constants"
			g.Id(weights).Op(":=").New(jen.Id(c.name("weights")))
			g.Id(weights).Dot("load").Call(jen.Id("b"))
			constants = append(constants, jen.Id(weights))
		}
		g.Id("p").Dot(c.Field).Op("=").Id(c.constructor()).Call(constants...)
	}
	for _, c := range e.Constants {
		args := []jen.Code{jen.Qual(pkgTensor, "View").Index(emitElem(c.Value.Const.DType)).Call(jen.Id("b"), jen.Lit(c.Off), jen.Lit(c.Value.Const.Len()))}
		if peerplan.IsStrings(c.Value.Type) {
			args[0] = jen.Index().String().ValuesFunc(func(g *jen.Group) {
				for _, s := range tensor.Data[string](c.Value.Const) {
					g.Lit(s)
				}
			})
		}
		for _, d := range c.Value.Const.Shape {
			args = append(args, jen.Lit(d))
		}
		g.Id("p").Dot(c.Field).Op("=").Qual(pkgTensor, "DenseOf").Call(args...)
	}
}

// emitDefault emits the function that generated programs call.
func (e *partitionEmitter) emitDefault(f *jen.File) {
	f.Comment("Default is the partition with what the program's author has chosen.")
	f.Func().Id("Default").Params(jen.Id("env").Qual(pkgRuntime, "Env")).Params(jen.Op("*").Qual(pkgRuntime, "Partition"), jen.Error()).Block(
		jen.Return(jen.Id("Partition").Call(jen.Id("env"), jen.Id("DefaultConfig").Call())),
	)
}

// emitInstall emits the function that an author's own host calls.
func (e *partitionEmitter) emitInstall(f *jen.File) {
	f.Comment("Install returns a node that runs the partition, for a host that has only this one.")
	f.Func().Id("Install").Params(
		jen.Id("self").Qual(pkgWire, "PeerID"), jen.Id("addr").Qual(pkgWire, "Address"), jen.Id("c").Id("Config"),
	).Params(jen.Op("*").Qual(pkgRuntime, "Node"), jen.Error()).Block(
		jen.List(jen.Id("p"), jen.Err()).Op(":=").Id("Partition").Call(jen.Qual(pkgRuntime, "Env").Values(jen.Id("Class").Op(":").Lit(e.Part.Class)), jen.Id("c")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Id("p").Dot("Install").Call(jen.Id("self"), jen.Id("addr"))),
	)
}

// emitEdges emits the program's edge table for this class.
func (e *partitionEmitter) emitEdges(f *jen.File) {
	f.Comment("Fingerprint names the program: peers of another one are refused.")
	f.Const().Id("Fingerprint").Op("=").Op(`"` + escaped(e.Part.Program.Fingerprint) + `"`)
	f.Comment("edges is the edge table of the program; a row of a received edge has its module and cut point.")
	f.Var().Id("edges").Op("=").Index(jen.Op("...")).Qual(pkgRuntime, "Edge").CustomFunc(multilineIf(len(e.Part.Program.Edges) > 0), func(g *jen.Group) {
		for _, x := range e.Part.Program.Edges {
			g.Id(e.EdgeConst(x)).Op(":").Add(e.emitEdge(x))
		}
	})
}

func (e *partitionEmitter) emitEdge(x *partitioner.Edge) *jen.Statement {
	return jen.ValuesFunc(func(g *jen.Group) {
		g.Id("ID").Op(":").Op(fmt.Sprintf("%#016x", uint64(x.ID)))
		g.Id("Type").Op(":").Op(fmt.Sprintf("%#016x", uint64(x.Hash)))
		g.Id("Name").Op(":").Lit(x.Name)
		g.Id("From").Op(":").Lit(x.From)
		if x.Collective != nil {
			e.emitCollective(g, x)
		} else if x.Trigger {
			g.Id("Trigger").Op(":").True()
		} else if open, size := edgeSize(x.Type); open > 0 {
			g.Id("Dims").Op(":").Lit(open)
		} else if size > 0 {
			g.Id("Size").Op(":").Lit(size)
		} else if own, ok := peer.OwnOf(x.Type); ok {
			g.Id("Most").Op(":").Lit(own.Most)
		}
		if x.Deadline > 0 {
			g.Id("Within").Op(":").Add(emitInt(int64(x.Deadline))).Comment("/* " + x.Deadline.String() + " */")
		}
		if x.Named {
			g.Id("To").Op(":").Lit(x.To)
		}
		if len(x.Origins) > 0 {
			g.Id("Origins").Op(":").Index().String().ValuesFunc(func(g *jen.Group) {
				for _, class := range x.Origins {
					g.Lit(class)
				}
			})
		}
		if f, c := e.Receiver(x); f != nil {
			if into := f.Brings(c); x.Collective == nil && peerplan.MayBeLarge(x.Type) && (into == nil || into.Stays) {
				g.Id("InParts").Op(":").True()
			}
			g.Id("Receives").Op(":").True()
			g.Id("Module").Op(":").Id(f.Const)
			g.Id("Cut").Op(":").Id(e.CutConst(c))
		}
	})
}

// edgeSize returns the number of variable dimensions of a type. If there are none, size is the size of its
// values in bytes; it is 0 if that varies.
func edgeSize(t ir.Type) (open, size int) {
	if t.Kind != ir.Tensor {
		return 0, 0
	}
	size = t.Elem.Size()
	for _, d := range t.Shape {
		n, ok := d.Const()
		if !ok {
			open++
		}
		size *= n
	}
	return open, size
}

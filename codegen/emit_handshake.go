package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/runtime"
)

// emitHandshake emits the check that generated code and runtime fit together:
//
//	const (
//		_ = runtime.Check(3 - runtime.MinVersion)
//		_ = runtime.Check(runtime.GenVersion - 3)
//	)
func emitHandshake(f *jen.File) {
	f.Comment("This code and the bbgen runtime it is built with must fit together. If the next")
	f.Comment("lines do not compile, the runtime is too new or too old for this code: generate")
	f.Comment("it again with the bbgen of the same version, or change the version in go.mod.")
	f.Const().Defs(
		jen.Id("_").Op("=").Qual(pkgRuntime, "Check").Call(jen.Lit(int(runtime.GenVersion)).Op("-").Qual(pkgRuntime, "MinVersion")),
		jen.Id("_").Op("=").Qual(pkgRuntime, "Check").Call(jen.Qual(pkgRuntime, "GenVersion").Op("-").Lit(int(runtime.GenVersion))),
	)
}

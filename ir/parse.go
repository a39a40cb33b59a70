package ir

// Parse reads the text form that [Print] writes. Its errors have the form
//
//	mlp.ir:7:12: found "}", want a value
//
// where name is the given name. Parse checks that each value is defined in the function, and defined once;
// [Verify] checks everything else.
//
// The content of an elided constant is lost: it is read as zeros, and Print prints its hash again. A node
// without a version has the module's version, and a node without a name that of its first output.
func Parse(name, text string) (*Module, error) {
	p := &parser{file: name, toks: lex(text)}
	m := p.module()
	if p.err != nil {
		return nil, p.err
	}
	return m, nil
}

func (p *parser) module() *Module {
	p.expect("module")
	p.m = &Module{Name: p.str()}
	for {
		switch {
		case p.accept("file"):
			p.m.File = p.str()
		case p.accept("opset"):
			p.m.Opsets = p.opsets()
		case p.accept("meta"):
			k := p.str()
			p.expect("=")
			p.m.Meta = append(p.m.Meta, Metadata{k, p.str()})
		default:
			p.funcs()
			return p.m
		}
	}
}

func (p *parser) funcs() {
	if !p.is("func") {
		p.want(`"func"`)
	}
	for p.accept("func") {
		f := p.fn(nil)
		if p.m.Main == nil {
			p.m.Main, p.main = f, p.scope
			continue
		}
		p.m.Funcs = append(p.m.Funcs, f)
	}
	for p.accept("training") {
		p.m.Training = append(p.m.Training, p.training())
	}
	if p.peek().kind != tokEOF {
		p.want(`"func", "training" or the end`)
	}
}

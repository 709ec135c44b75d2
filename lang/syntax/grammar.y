/* The grammar of the language, for Lemon. It has no conflicts, and one would
 * stop the build. Actions call ast_* (build.h) and do nothing else. NL comes
 * only outside brackets and after a token that can end a statement
 * (layout.h). After an error everything up to the statement's end is skipped.
 *
 * Statements of later stages of the language (species, reactions, model,
 * port, use, connect, import) are read in full and kept as nodes with their
 * place and name. */
%name Grammar
%token_prefix TOKEN_
%token_type {token}
%extra_context {builder *b}
%stack_size PUSHDOWN_DEPTH
%include {
#define NDEBUG 1 /* no tracing: it would need mutable statics */
#include "syntax/build.h"
#include "syntax/pushdown.h"
#define Grammar_ENGINEALWAYSONSTACK 1
#define YYMALLOCARGTYPE size_t
}
%syntax_error { builder_mistake(b, yyminor); }
%stack_overflow { builder_too_deep(b, b->last.span); }

%token BAD.  /* a sign that is not of the language; reported by the scanner */
%fallback NAME FLOW AT AS ALWAYS FINAL WITHIN STEP WHERE PORT CONNECT STOP
    PRINT USE SOLVE IMPORT EXPECT PLOT OVER.

%nonassoc ELSE.
%left OR.
%left AND.
%right NOT.
%nonassoc LT LE GT GE EQEQ NE TILDE.
%left PLUS MINUS.
%left STAR SLASH.
%right UMINUS.
%right POW.

%type stmts {stmt_list *}
%type stmt {ast_stmt *}
%type equation {ast_stmt *}
%type suffix {ast_iters *}
%type iters {ast_iters *}
%type iterlist {ast_iters *}
%type iter {ast_iter *}
%type range {ast_iter *}
%type branches {ast_stmt *}
%type forhead {ast_stmt *}
%type funhead {ast_stmt *}
%type whenhead {ast_stmt *}
%type modelhead {ast_stmt *}
%type rxnhead {ast_stmt *}
%type when {ast_stmt *}
%type acts {stmt_list *}
%type act {ast_stmt *}
%type decls {ast_stmt *}
%type declword {token}
%type decl {ast_decl *}
%type dims {ast_decl *}
%type dimlist {ast_decl *}
%type dim {ast_dim *}
%type primes {uint32_t}
%type value {ast_init *}
%type attrs {ast_decl *}
%type attrlist {ast_decl *}
%type attr {ast_attr *}
%type unit {text_span}
%type ufac {text_span}
%type uatom {text_span}
%type doc {token}
%type initlist {ast_stmt *}
%type initeq {ast_init *}
%type names {ast_stmt *}
%type namelist {ast_stmt *}
%type opts {ast_stmt *}
%type check {ast_stmt *}
%type place {ast_stmt *}
%type exprs {expr_list *}
%type args {expr_list *}
%type arglist {expr_list *}
%type idxs {expr_list *}
%type elifs {expr_list *}
%type expr {ast_expr *}
%type primary {ast_expr *}
%type arg {ast_arg}
%type idx {ast_expr *}

%start_symbol file
file ::= stmts.
file ::= ONLY expr(E) NL.            { b->only = E; } /* parse_expression */

stmts(A) ::= .                       { A = ast_stmts(b); }
stmts ::= stmts NL.
stmts ::= stmts(L) stmt(S) NL.       { ast_stmts_add(b, L, S); }
stmts ::= stmts error NL.            { pushdown_recovered(yypParser); }

/* ---- equations ---------------------------------------------------- */
stmt ::= equation.
stmt(A) ::= NAME(N) COLON equation(E). { A = ast_label(b, N, E); }
equation(A) ::= expr(L) EQ(T) expr(R) suffix(S) doc(D).
                                     { A = ast_equation(b, L, T, R, S, D); }
suffix(A) ::= .                      { A = NULL; }
suffix(A) ::= FOR(T) iters(I).       { A = ast_suffix(b, T, I); }
iters ::= iterlist.
iters(A) ::= iterlist(L) WHERE expr(E). { A = ast_where(b, L, E); }
iterlist(A) ::= iter(I).             { A = ast_iterlist(b, NULL, I); }
iterlist(A) ::= iterlist(L) COMMA iter(I). { A = ast_iterlist(b, L, I); }
iter(A) ::= NAME(N) IN range(R).     { A = ast_iterator(b, N, R); }
range(A) ::= expr(F) DOTDOT expr(L). { A = ast_range(b, F, L, NULL); }
range(A) ::= expr(F) DOTDOT expr(L) STEP expr(S).
                                     { A = ast_range(b, F, L, S); }

stmt(A) ::= forhead(H) stmts(L) END(T). { A = ast_block_end(b, H, L, T); }
forhead(A) ::= FOR(T) iters(I) NL.   { A = ast_for(b, T, I); }
stmt(A) ::= branches(H) END(T).      { A = ast_block_end(b, H, NULL, T); }
stmt(A) ::= branches(H) ELSE NL stmts(L) END(T).
                          { A = ast_block_end(b, ast_branch_add(b, H, NULL, L), NULL, T); }
branches(A) ::= ifhead(H) stmts(L).  { A = ast_branch_add(b, H.stmt, H.expr, L); }
branches(A) ::= branches(H) ELSEIF expr(C) NL stmts(L).
                                     { A = ast_branch_add(b, H, C, L); }
%type ifhead {ast_ifhead}
ifhead(A) ::= IF(T) expr(C) NL.      { A = ast_if_head(b, T, C); }

/* ---- declarations -------------------------------------------------- */
stmt(A) ::= declword(W) decls(D).    { A = ast_declaration(b, W, D); }
declword ::= PARAM.
declword ::= VAR.
declword ::= SPECIES.
declword ::= DISC.
declword ::= LET.
declword ::= INPUT.
declword ::= OUTPUT.
decls(A) ::= decl(D).                { A = ast_decls(b, NULL, D); }
decls(A) ::= decls(L) COMMA decl(D). { A = ast_decls(b, L, D); }
decl(A) ::= NAME(N) dims(D) primes(P) value(V) attrs(U) doc(T).
                                     { A = ast_declare(b, N, D, P, V, U, T); }
dims(A) ::= .                        { A = NULL; }
dims(A) ::= LB dimlist(L) RB(T).     { A = ast_dims_end(b, L, T); }
dimlist(A) ::= dim(D).               { A = ast_dims(b, NULL, D); }
dimlist(A) ::= dimlist(L) COMMA dim(D). { A = ast_dims(b, L, D); }
dim(A) ::= expr(E).                  { A = ast_dimension(b, NULL, E); }
dim(A) ::= expr(F) DOTDOT expr(L).   { A = ast_dimension(b, F, L); }
dim(A) ::= NAME(N) IN range(R).      { A = ast_dimension_named(b, N, R); }
primes(A) ::= .                      { A = 0; }
primes(A) ::= primes(N) PRIME(T).    { A = ast_prime_count(b, N, T); }
value(A) ::= .                       { A = NULL; }
value(A) ::= EQ expr(E).             { A = ast_condition(b, NULL, E, false); }
value(A) ::= TILDE expr(E).          { A = ast_condition(b, NULL, E, true); }
attrs(A) ::= .                       { A = NULL; }
attrs(A) ::= LC attrlist(L) RC(T).   { A = ast_dims_end(b, L, T); }
attrlist(A) ::= attr(U).             { A = ast_attrs(b, NULL, U); }
attrlist(A) ::= attrlist(L) COMMA attr(U). { A = ast_attrs(b, L, U); }
attr(A) ::= NAME(N) EQ expr(E).      { A = ast_attribute(b, N, E); }
attr(A) ::= unit(U).                 { A = ast_unit(b, U); }
unit ::= ufac.
unit(A) ::= unit(L) STAR ufac(R).    { A = ast_span(L, R); }
unit(A) ::= unit(L) SLASH ufac(R).   { A = ast_span(L, R); }
ufac ::= uatom.
ufac(A) ::= uatom(U) POW NUMBER(N).  { A = ast_span(U, N.span); }
ufac(A) ::= uatom(U) POW MINUS NUMBER(N). { A = ast_span(U, N.span); }
uatom(A) ::= NAME(N).                { A = N.span; }
uatom(A) ::= NUMBER(N).              { A = N.span; }
doc(A) ::= .                         { A = ast_no_token(); }
doc ::= STRING.
stmt(A) ::= STRING(T).               { A = ast_title(b, T); }

/* ---- initial conditions --------------------------------------------- */
stmt(A) ::= INIT(T) initlist(L) suffix(S). { A = ast_init_stmt(b, T, L, S); }
initlist(A) ::= initeq(E).           { A = ast_inits(b, NULL, E); }
initlist(A) ::= initlist(L) COMMA initeq(E). { A = ast_inits(b, L, E); }
initeq(A) ::= expr(L) EQ expr(R).    { A = ast_condition(b, L, R, false); }
initeq(A) ::= expr(L) TILDE expr(R). [ELSE] { A = ast_condition(b, L, R, true); }

/* ---- functions ------------------------------------------------------- */
stmt(A) ::= FUN(T) NAME(N) LP names(P) RP EQ expr(E) doc(D).
                                     { A = ast_fun(b, T, N, P, E, D); }
stmt(A) ::= funhead(H) stmts(L) RETURN expr(E) NL END(T).
                                     { A = ast_fun_end(b, H, L, E, T); }
funhead(A) ::= FUN(T) NAME(N) LP names(P) RP NL.
                                     { A = ast_fun_head(b, T, N, P); }
names(A) ::= .                       { A = NULL; }
names ::= namelist.
namelist(A) ::= NAME(N).             { A = ast_names(b, NULL, N); }
namelist(A) ::= namelist(L) COMMA NAME(N). { A = ast_names(b, L, N); }

/* ---- events ---------------------------------------------------------- */
stmt ::= when.
stmt(A) ::= NAME(N) COLON when(W).   { A = ast_label(b, N, W); }
when(A) ::= whenhead(H) acts(L) END(T). { A = ast_block_end(b, H, L, T); }
whenhead(A) ::= WHEN(T) expr(C) NL.  { A = ast_when(b, T, C); }
acts(A) ::= .                        { A = ast_stmts(b); }
acts ::= acts NL.
acts ::= acts(L) act(S) NL.          { ast_stmts_add(b, L, S); }
acts ::= acts error NL.              { pushdown_recovered(yypParser); }
act(A) ::= primary(L) ASSIGN expr(R). { A = ast_assign(b, L, R); }
act(A) ::= STOP(T) doc(D).           { A = ast_text_act(b, AST_STOP, T, D); }
act(A) ::= PRINT(T) STRING(D).       { A = ast_text_act(b, AST_PRINT, T, D); }

/* ---- reactions -------------------------------------------------------- */
stmt(A) ::= rxnhead(H) rxns END(T).  { A = ast_block_end(b, H, NULL, T); }
rxnhead(A) ::= REACTIONS(T) NL.      { A = ast_head(b, AST_REACTIONS, T, ast_no_token()); }
rxns ::= .
rxns ::= rxns NL.
rxns ::= rxns rxn NL.
rxns ::= rxns NAME COLON rxn NL.
rxns ::= rxns error NL.              { pushdown_recovered(yypParser); }
rxn ::= side arrow side AT2 exprs(E) suffix doc. { ast_drop(b, E); }
arrow ::= ARROW.
arrow ::= BIARROW.
arrow ::= FATARROW.
side ::= sterm.
side ::= side PLUS sterm.
sterm ::= NUMBER.
sterm ::= sref.
sterm ::= NUMBER sref.
sref ::= NAME.
sref ::= NAME LB exprs(E) RB.        { ast_drop(b, E); }
exprs(A) ::= expr(E).                { A = ast_list(b, NULL, E); }
exprs(A) ::= exprs(L) COMMA expr(E). { A = ast_list(b, L, E); }

/* ---- components -------------------------------------------------------- */
stmt(A) ::= modelhead(H) stmts END(T). { A = ast_block_end(b, H, NULL, T); }
modelhead(A) ::= MODEL(T) NAME(N) mparams doc NL. { A = ast_head(b, AST_MODEL, T, N); }
mparams ::= .
mparams ::= LP decls RP.
stmt(A) ::= PORT(T) NAME(N) EQ pvars. { A = ast_later(b, AST_PORT, T, N); }
stmt(A) ::= PORT(T) namelist COLON NAME(N). { A = ast_later(b, AST_PORT, T, N); }
pvars ::= pvar.
pvars ::= pvars COMMA pvar.
pvar ::= NAME attrs.
pvar ::= FLOW NAME attrs.
stmt(A) ::= USE(T) NAME(N) insts.    { A = ast_later(b, AST_USE, T, N); }
insts ::= inst.
insts ::= insts COMMA inst.
inst ::= NAME dims.
inst ::= NAME dims LP args(L) RP.    { ast_drop(b, L); }
stmt(A) ::= CONNECT(T) exprs(L) suffix. { A = ast_connect(b, T, L); }
stmt(A) ::= IMPORT(T) STRING(S).     { A = ast_import(b, T, S, ast_no_token()); }
stmt(A) ::= IMPORT(T) STRING(S) AS NAME(N). { A = ast_import(b, T, S, N); }

/* ---- run control and checks --------------------------------------------- */
stmt(A) ::= SOLVE(T) iter(I) opts(O). { A = ast_solve(b, T, I, O); }
opts(A) ::= .                        { A = ast_options(b); }
opts(A) ::= opts(L) COMMA NAME(N) EQ expr(E). { A = ast_option_add(b, L, N, E); }
opts(A) ::= opts(L) COMMA NAME(N) EQ STRING(S).
                                     { A = ast_option_add(b, L, N, ast_string(b, S)); }
stmt(A) ::= PLOT(T) exprs(L).        { A = ast_plot(b, T, L, NULL); }
stmt(A) ::= PLOT(T) exprs(L) OVER expr(E). { A = ast_plot(b, T, L, E); }
stmt(A) ::= EXPECT(T) check(C) place(P). { A = ast_expect(b, T, C, P); }
stmt(A) ::= EXPECT(T) STRING(S).     { A = ast_expect_code(b, T, S); }
check(A) ::= expr(E).                { A = ast_check(b, E, NULL, NULL); }
check(A) ::= expr(L) TILDE expr(R) WITHIN expr(W). [ELSE]
                                     { A = ast_check(b, L, R, W); }
place(A) ::= .                       { A = NULL; }
place(A) ::= AT expr(E).             { A = ast_at(b, AST_PLACE_AT, E); }
place(A) ::= ALWAYS.                 { A = ast_at(b, AST_PLACE_ALWAYS, NULL); }
place(A) ::= FINAL.                  { A = ast_at(b, AST_PLACE_FINAL, NULL); }

/* ---- expressions ---------------------------------------------------------- */
expr ::= primary.
expr(A) ::= MINUS(T) expr(E). [UMINUS] { A = ast_unary(b, AST_NEG, T, E); }
expr(A) ::= PLUS(T) expr(E). [UMINUS]  { A = ast_unary(b, AST_PLUS, T, E); }
expr(A) ::= NOT(T) expr(E).          { A = ast_unary(b, AST_NOT, T, E); }
expr(A) ::= expr(L) PLUS expr(R).    { A = ast_chain(b, AST_ADD, L, R); }
expr(A) ::= expr(L) MINUS expr(R).   { A = ast_chain(b, AST_SUB, L, R); }
expr(A) ::= expr(L) STAR expr(R).    { A = ast_chain(b, AST_MUL, L, R); }
expr(A) ::= expr(L) SLASH expr(R).   { A = ast_chain(b, AST_DIV, L, R); }
expr(A) ::= expr(L) POW expr(R).     { A = ast_binary(b, AST_POW, L, R); }
expr(A) ::= expr(L) LT expr(R).      { A = ast_binary(b, AST_LT, L, R); }
expr(A) ::= expr(L) LE expr(R).      { A = ast_binary(b, AST_LE, L, R); }
expr(A) ::= expr(L) GT expr(R).      { A = ast_binary(b, AST_GT, L, R); }
expr(A) ::= expr(L) GE expr(R).      { A = ast_binary(b, AST_GE, L, R); }
expr(A) ::= expr(L) EQEQ expr(R).    { A = ast_binary(b, AST_EQ, L, R); }
expr(A) ::= expr(L) NE expr(R).      { A = ast_binary(b, AST_NE, L, R); }
expr(A) ::= expr(L) AND expr(R).     { A = ast_chain(b, AST_AND, L, R); }
expr(A) ::= expr(L) OR expr(R).      { A = ast_chain(b, AST_OR, L, R); }
expr(A) ::= IF(T) expr(C) THEN expr(V) elifs(L) ELSE expr(E).
                                     { A = ast_if(b, T, C, V, L, E); }
elifs(A) ::= .                       { A = NULL; }
elifs(A) ::= elifs(L) ELSEIF expr(C) THEN expr(V).
                                     { A = ast_list(b, ast_list(b, L, C), V); }
primary(A) ::= NUMBER(T).            { A = ast_number(b, T); }
primary(A) ::= TRUE(T).              { A = ast_bool(b, T, true); }
primary(A) ::= FALSE(T).             { A = ast_bool(b, T, false); }
primary(A) ::= NAME(T).              { A = ast_name(b, T); }
primary(A) ::= LP(T) expr(E) RP(U).  { A = ast_parens(b, T, E, U); }
primary(A) ::= LB(T) args(L) RB(U).  { A = ast_vector(b, T, L, U); }
primary(A) ::= primary(E) PRIME(T).  { A = ast_prime(b, E, T); }
primary(A) ::= primary(E) DOT NAME(T). { A = ast_field(b, E, T); }
primary(A) ::= primary(E) LP args(L) RP(U). { A = ast_call(b, E, L, U); }
primary(A) ::= primary(E) LB idxs(L) RB(U). { A = ast_index(b, E, L, U); }
args(A) ::= .                        { A = NULL; }
args ::= arglist.
args(A) ::= expr(E) FOR(T) iters(I). { A = ast_comprehension(b, E, T, I); }
arglist(A) ::= arg(G).               { A = ast_args(b, NULL, G); }
arglist(A) ::= arglist(L) COMMA arg(G). { A = ast_args(b, L, G); }
arg(A) ::= expr(E).                  { A = ast_argument(ast_no_token(), E); }
arg(A) ::= STRING(T).                { A = ast_argument(ast_no_token(), ast_string(b, T)); }
arg(A) ::= NAME(N) EQ expr(E).       { A = ast_argument(N, E); }
arg(A) ::= NAME(N) EQ STRING(T).     { A = ast_argument(N, ast_string(b, T)); }
idxs(A) ::= idx(E).                  { A = ast_list(b, NULL, E); }
idxs(A) ::= idxs(L) COMMA idx(E).    { A = ast_list(b, L, E); }
idx ::= expr.
idx(A) ::= COLON(T).                 { A = ast_colon(b, T); }
idx(A) ::= expr(F) DOTDOT expr(L).   { A = ast_index_range(b, F, L); }

%code {
size_t pushdown_size(void)
{
    return sizeof(yyParser);
}

void pushdown_start(void *machine, builder *b)
{
    GrammarInit(machine, b);
}

void pushdown_feed(void *machine, token t)
{
    Grammar(machine, t.kind, t);
}

void pushdown_recovered(void *machine)
{
    ((yyParser *)machine)->yyerrcnt = -1;
}

void pushdown_states_take(pushdown_states *to, const void *machine)
{
    const yyParser *p = machine;
    to->count = (uint32_t)(p->yytos - p->yystack) + 1;
    for (uint32_t i = 0; i < to->count; i++)
        to->items[i] = p->yystack[i].stateno;
}

/* What a state does on a token as it is written, without its fallback. */
static YYACTIONTYPE find_action(YYCODETYPE kind, YYACTIONTYPE state)
{
    if (state > YY_MAX_SHIFT) return state;
    int i = yy_shift_ofst[state] + kind;
    return yy_lookahead[i] == kind ? yy_action[i] : yy_default[state];
}

bool pushdown_states_feed(pushdown_states *s, unsigned kind, bool strict)
{
    for (;;) {
        YYACTIONTYPE top = s->items[s->count - 1];
        YYACTIONTYPE act = strict ? find_action((YYCODETYPE)kind, top)
            : yy_find_shift_action((YYCODETYPE)kind, top);
        if (act >= YY_MIN_REDUCE) {
            unsigned rule = act - YY_MIN_REDUCE;
            s->count -= (uint32_t)-yyRuleInfoNRhs[rule];
            act = yy_find_reduce_action(
                s->items[s->count - 1], yyRuleInfoLhs[rule]);
            if (s->count >= PUSHDOWN_DEPTH) return false;
            s->items[s->count++] = act;
            continue;
        }
        if (act > YY_MAX_SHIFTREDUCE) return act == YY_ACCEPT_ACTION;
        if (act > YY_MAX_SHIFT) act += YY_MIN_REDUCE - YY_MIN_SHIFTREDUCE;
        if (s->count >= PUSHDOWN_DEPTH) return false;
        s->items[s->count++] = act;
        return true;
    }
}
}

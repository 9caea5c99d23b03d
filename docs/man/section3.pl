#!/usr/bin/perl
# section3.pl FOLDER DATE HEADER...: write manual pages of section 3, in mdoc(7), into FOLDER, from
# the comments of public headers. A header gets a page of its types, a call gets a page of its own.
# In a comment, the first sentence is the summary. Paragraphs are separated by empty lines. A
# sentence that begins with "Returns" or "Errors" ends the comment and lists "-ERROR (reason)".
use strict;
use warnings;

my ($folder, $date, @headers) = @ARGV;
my %page_of; # name of a call -> name of its page
my %header_pages;

sub text_of { # COMMENT: its text, without its frame
	my ($comment) = @_;
	$comment =~ s{^/\*\s*(?:\*\s)?|\s*\*/\s*$}{}g;
	$comment =~ s{\n[ \t]*\* ?}{\n}g;
	return $comment;
}

sub escaped { # TEXT: without anything that roff(7) would interpret
	my ($text) = @_;
	$text =~ s/\\/\\e/g;
	$text =~ s/^([.'])/\\&$1/gm;
	return $text;
}

# Mark up arguments (in capitals), calls and manual pages of a sentence. SELF... are the page's calls.
sub marked { # SENTENCE ARGUMENTS SELF...
	my ($sentence, $arguments, @selves) = @_;
	my %self = map { $_ => 1 } @selves;
	my @lines = ('');
	for my $word (split ' ', $sentence) {
		my ($macro, $before, $after);
		if ($word =~ /^(\(?)(\w+)\((\d)\)(.*)$/) {
			($before, $macro, $after) = ($1, "Xr $2 $3", $4);
		} elsif ($word =~ /^(\(?)(xrdma_\w+)\(\)(.*)$/) {
			($before, $macro, $after) = ($1, $self{$2} ? "Fn $2" : "Xr $2 3", $3);
		} elsif ($word =~ /^(\(?)(\w+)\(\)(.*)$/) {
			($before, $macro, $after) = ($1, "Fn $2", $3);
		} elsif ($word =~ /^(\(?)\*?([A-Z][A-Z0-9_]*)((?:->\w+)?)(\W.*)?$/ && $arguments->{lc $2}) {
			($before, $macro, $after) = ($1, 'Fa ' . lc($2) . $3, $4 // '');
		}
		if (!defined $macro) {
			$lines[-1] .= ($lines[-1] eq '' ? '' : ' ') . escaped($word);
			next;
		}
		pop @lines if $lines[-1] eq '';
		$after = $after =~ /^[.,:;)]*$/ ? join('', map {" $_"} split //, $after) : " Ns $after";
		push @lines, ($before ne '' ? ".Pf ( $macro" : ".$macro") . $after, '';
	}
	pop @lines if $lines[-1] eq '';
	return join "\n", map { /^\./ ? $_ : s/(.{1,78})(?: |$)/$1\n/gr =~ s/\n$//r } @lines;
}

sub sentences { # PARAGRAPH
	my ($paragraph) = @_;
	$paragraph =~ s/\s+/ /g;
	my @sentences;
	my ($depth, $current) = (0, '');
	for my $word (split ' ', $paragraph) {
		$current .= ($current eq '' ? '' : ' ') . $word;
		$depth += ($word =~ tr/(//) - ($word =~ tr/)//);
		if ($depth <= 0 && $word =~ /[.]\)?$/ && $word !~ /^(?:e\.g\.|i\.e\.)$/) {
			push @sentences, $current;
			($depth, $current) = (0, '');
		}
	}
	push @sentences, $current if $current ne '';
	return @sentences;
}

sub head { # NAME... SUMMARY
	my ($summary, @names) = @_;
	my $text = ".Dd $date\n.Dt " . uc($names[0]) . " 3\n.Os\n.Sh NAME\n";
	$text .= join(" ,\n", map {".Nm $_"} @names) . "\n";
	return $text . ".Nd " . escaped($summary) . "\n";
}

sub summary_of { # SENTENCE ARGUMENTS: for NAME
	my ($summary, $arguments) = @_;
	$summary =~ s/\s*\([^()]*(?:\([^()]*\)[^()]*)*\)//g;
	$summary =~ s/, as \w+(?:\(\))?(?= |[.,]|$).*//;
	$summary =~ s/\*?\b([A-Z][A-Z0-9_]*)\b/$arguments->{lc $1} ? lc $1 : $1/ge;
	$summary =~ s/\.$//;
	return $summary =~ /^[A-Z]{2}/ ? $summary : lcfirst $summary;
}

sub prototype_of { # PROTOTYPE: synopsis, arguments
	my ($prototype) = @_;
	$prototype =~ s/\s+/ /g;
	$prototype =~ s/^(?:XRDMA_API|static inline) //;
	my ($type, $name, $list) = $prototype =~ /^(.*?[ *])(\w+)\((.*)\)$/ or die "no prototype: $prototype";
	my (@arguments, $depth, $current);
	($depth, $current) = (0, '');
	for my $part (split /(,|\(|\))/, $list) {
		$depth++ if $part eq '(';
		$depth-- if $part eq ')';
		if ($part eq ',' && !$depth) { push @arguments, $current; $current = ''; next }
		$current .= $part;
	}
	push @arguments, $current;
	s/^\s+|\s+$//g for @arguments;
	$type =~ s/\s+$//;
	my %names = map { /\(\*(\w+)\)/ || /(\w+)(?:\[\w*\])?$/ ? ($1 => 1) : () } @arguments;
	my $text = ".Ft " . $type . "\n.Fo $name\n" . join('', map {".Fa \"$_\"\n"} @arguments) . ".Fc\n";
	return ($name, $text, \%names);
}

# The sections RETURN VALUES and ERRORS, from the sentences that begin with Returns or Errors.
sub results_of { # SENTENCES ARGUMENTS SELF...
	my ($sentences, $arguments, @selves) = @_;
	my ($returns, $errors, @more) = ('', '');
	for my $sentence (@$sentences) {
		my $items = '';
		while ($sentence =~ s/,?(?: or| and)?\s*-((?:XRDMA_)?E[A-Z0-9]+) \(((?:[^()]|\([^()]*\))*)\)//) {
			$items .= ".It Bq Er \\-$1\n" . marked(ucfirst("$2."), $arguments, @selves) . "\n";
		}
		$errors .= $items;
		$sentence =~ s/^\s+|[\s,;:]*(?:\bor\b)?[\s.,;:]*$//g;
		if ($sentence =~ s/^Errors, returned by (\w+)\(\)$//) {
			$returns .= ".Xr $1 3\nreturns the errors of this call.\n";
		} elsif ($sentence =~ s/^Returns 0\b[\s,;]*(?:or )?//) {
			$returns .= 'Returns 0' . ($items || $sentence ? ', or a negative error number' : '') . ".\n";
			$sentence =~ s/\banother error\b/an error/;
			push @more, "It may also return $sentence." if $sentence;
		} else {
			$returns .= marked($sentence . ($items ? ', or a negative error number.' : '.'), $arguments, @selves) . "\n";
		}
	}
	my $text = $returns ? ".Sh RETURN VALUES\n$returns" : '';
	$text .= join "\n", map({ marked($_, $arguments, @selves) } @more), '';
	$text .= ".Sh ERRORS\n.Bl -tag -width Er\n$errors.El\n" if $errors;
	return $text;
}

sub write_page { # NAME TEXT
	my ($name, $text) = @_;
	open my $file, '>', "$folder/$name.3" or die "$folder/$name.3: $!\n";
	print $file $text;
	close $file;
}

sub call_page { # HEADER OVERVIEW COMMENT PROTOTYPE...
	my ($header, $overview, $comment, @prototypes) = @_;
	my (@names, $synopsis, %arguments);
	$synopsis = '';
	for (@prototypes) {
		my ($name, $text, $names) = prototype_of($_);
		push @names, $name;
		$synopsis .= $text;
		%arguments = (%arguments, %$names);
	}
	my @paragraphs = split /\n\s*\n/, text_of($comment);
	my @first = sentences(shift @paragraphs);
	die "$header: $names[0]: the comment has no summary\n" unless @first && $first[0] !~ /^Returns 0/;
	my (@body, @returned, $see);
	for my $sentences (\@first, map { [sentences($_)] } @paragraphs) {
		my @here;
		for (@$sentences) {
			if (@returned || /^(?:Returns|Errors)\b/) { push @returned, $_ }
			else { push @here, $_ }
		}
		push @body, join("\n", map { marked($_, \%arguments, @names) } @here) if @here;
	}
	my $text = head(summary_of($first[0], \%arguments), @names);
	$text .= ".Sh LIBRARY\nlibrary for RDMA by XDP (libxrdma, \\-lxrdma)\n";
	$text .= ".Sh SYNOPSIS\n.In xrdma/$header.h\n$synopsis";
	$text .= ".Sh DESCRIPTION\n" . join("\n.Pp\n", @body, $overview ? $overview : ()) . "\n" if @body;
	$text .= results_of(\@returned, \%arguments, @names);
	$text .= ".Sh SEE ALSO\n.Xr " . ($header_pages{$header} || 'xrdma') . " 3\n";
	write_page($_, $text) for @names;
	return ($names[0], summary_of($first[0], \%arguments));
}

# The types of a header, as they stand there.
sub code_of { # SOURCE
	my ($source) = @_;
	$source =~ s{^/\*.*?\*/\n/\*.*?\*/\n}{}s;
	$source =~ s{^#ifdef __cplusplus\n.*?^#endif\n}{}gms;
	$source =~ s{^#(?:ifndef|define) XRDMA_\w+_H\n}{}gm;
	$source =~ s{^#(?:include|endif).*\n}{}gm;
	$source =~ s{^/\* clang-format o\w+ \*/\n}{}gm;
	$source =~ s{^(?:/\*(?:[^*]|\*(?!/))*\*/\n)?(?:XRDMA_API [^;]*;\n)+}{}gm;
	$source =~ s{^/\*(?:[^*]|\*(?!/))*\*/\nstatic inline .*?^\}\n}{}gms;
	$source =~ s{\n{3,}}{\n\n}g;
	$source =~ s{^\s+|\s+$}{}g;
	return $source;
}

for my $path (@headers) {
	my ($header) = $path =~ m{(\w+)\.h$};
	$header_pages{$header} = $header eq 'error' ? '' : $header eq 'xrdma' ? 'xrdma' : "xrdma_$header";
}
my @overview;
for my $path (sort @headers) {
	my ($header) = $path =~ m{(\w+)\.h$};
	next if $header eq 'xrdma';
	open my $file, '<', $path or die "$path: $!\n";
	my $source = do { local $/; <$file> };
	my ($top) = $source =~ m{^/\*.*?\*/\n(/\*.*?\*/)\n}s or die "$path: no comment at the top\n";
	my @paragraphs = map { [sentences($_)] } split /\n\s*\n/, text_of($top);
	my @self = $header eq 'error' ? 'xrdma_error' : ();
	my $body = join "\n.Pp\n", map { join "\n", map { marked($_, {}, @self) } @$_ } @paragraphs;
	my @calls;
	while ($source =~ m{^(/\*(?:[^*]|\*(?!/))*\*/)\n((?:XRDMA_API [^;]*;\n)+|static inline [^\n]*\n)}gm) {
		my ($comment, $declarations) = ($1, $2);
		$declarations =~ s/\n(?=\{)//;
		my @prototypes = map { s/^\s+|\s+$//gr } grep {/\S/} split /;\n|\n$/, $declarations;
		push @calls, [call_page($header, $header eq 'error' ? $body : '', $comment, @prototypes)];
	}
	my $page = $header_pages{$header} or next;
	my $summary = $paragraphs[0][0];
	$summary =~ s/[:.].*//s unless $summary =~ /^[^.]*\([^)]*[.:]/;
	$summary = summary_of($summary, {});
	my $text = head($summary, $page) . ".Sh SYNOPSIS\n.In xrdma/$header.h\n.Sh DESCRIPTION\n$body\n";
	if (@calls) {
		$text .= ".Ss Calls\n.Bl -tag -width Ds\n";
		$text .= ".It Xr $_->[0] 3\n" . marked(ucfirst "$_->[1].", {}) . "\n" for @calls;
		$text .= ".El\n";
	}
	my $code = code_of($source);
	$text .= ".Ss Declarations\n.Bd -literal\n" . escaped($code) . "\n.Ed\n" if $code ne '';
	$text .= ".Sh SEE ALSO\n.Xr xrdma 3\n";
	write_page($page, $text);
	push @overview, [$page, $summary];
}
my $text = head('RDMA over XDP', 'xrdma') . ".Sh LIBRARY\nlibrary for RDMA by XDP (libxrdma, \\-lxrdma)\n.Sh SYNOPSIS\n.In xrdma/xrdma.h\n";
$text .= ".Sh DESCRIPTION\nThe library for programs that use a RoCE v2 NIC made of XDP programs.\nLoad the programs on a netdev with\n.Xr xrdma 8 .\nEach header has a page.\n.Bl -tag -width Ds\n";
$text .= ".It Xr $_->[0] 3\n" . marked(ucfirst "$_->[1].", {}) . "\n" for @overview;
$text .= ".El\n.Sh SEE ALSO\n.Xr xrdma_error 3 ,\n.Xr xrdma 8\n";
write_page('xrdma', $text);

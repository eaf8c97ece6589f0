/**
 * The passwords that head published lists of leaked passwords, in lower case. Only those of six characters or more:
 * `app.password.min-length` is at least 6.
 */
const commonest = `
  000000 00000000 010203 0123456789 101010 102030 1111111 111111 11111111 1111111111 112233 11223344 121212 123123
  123123123 123321 1234321 12341234 12344321 12345678 123456 1234567 123456789 1234567890 123456789a 12345678910
  123456a 123456aa 123456ab 123456abc 123456q 123456qwerty 1234554321 12345a 12345qwert 12345qwerty 1234qwer 123654
  123789 123abc 123qwe 123qweasd 131313 134679 141414 142536 147147 147258 147258369 147852 147852369 151515 159357
  159753 159951 171717 181818 191919 1a2b3c 1a2b3c4d 1q2w3e 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc
  1qazxsw2 201010 202020 212121 222222 22222222 232323 246810 252525 258456 303030 321321 321654 333333 33333333
  369369 420420 456123 456456 456789 555555 55555555 654321 666666 66666666 696969 741852 741852963 753951 777777
  7777777 77777777 789456 789456123 852456 87654321 888888 88888888 951753 963852 963852741 987654 987654321
  9876543210 999999 99999999 aa123456 aa12345678 aaaaaa aaaaaaaa abc123 abc12345 abc123456 abcabc abcd123 abcd1234
  abcdef abcdefg abcdefgh access adidas admin1 admin12 admin123 admin1234 admin12345 admin@123 administrator
  alexander amanda america andrea andrew angela angel1 angels anthony apple123 arsenal asd123 asdasd asdf1234 asdfasdf
  asdfgh asdfghj asdfghjk asdfghjkl ashley august austin azerty azertyuiop babygirl badboy bailey banana barcelona
  baseball basketball batman beautiful bigdog biteme blink182 bonnie booboo brandon buster butterfly camaro canada
  carlos caroline changeme charles charlie cheese chelsea chicken chocolate chris1 christian cocacola computer cookie
  corvette cowboy cristina daniel danielle david123 default dennis diamond dolphin donald dragon eagles edward eminem
  family ferrari flower football forever freedom friends fuckme fuckyou gabriel george gfhjkm ginger google guitar
  hahaha hammer hannah harley hannibal heather hello1 hello123 hellohello hockey hottie hunter hunter2 iceman iloveu
  iloveyou iloveyou1 internet jackson jasmine jennifer jessica jesus1 johnny jordan jordan23 joseph joshua junior
  justin killer kitten lakers lauren letmein letmein1 liverpool london lovely loveme loveyou maggie manchester marina
  marlboro martin master matrix matthew maverick melissa mercedes merlin metallica michael michael1 michelle mickey
  midnight minecraft monkey monkey1 monster morgan mother mustang myspace1 naruto natasha nicole ninja1 nintendo
  nothing oliver orange p@ssw0rd p@ssword p@55w0rd pa55word pa55w0rd pakistan panther parola pass123 pass1234
  passpass passw0rd passw0rd! passwd passwort password password! password. password1 password1! password12
  password123 password1234 password2 patrick peanut pepper phoenix player please pokemon pokemon1 porsche preston
  princess princess1 purple pussy1 q1w2e3 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 qazqaz qazwsx qazwsxedc qazxsw qq123456
  qwe123 qweasd qweasdzxc qweqwe qwer1234 qwert1 qwert123 qwerty qwerty1 qwerty12 qwerty123 qwerty1234 qwerty12345
  qwertyui qwertyuiop rabbit rachel raiders rainbow ranger rangers rebecca redsox richard robert rockyou root123
  rootroot rosebud samantha samsung sandra scooter secret secret1 shadow shannon silver slipknot snoopy soccer sophie
  spiderman starwars steelers stella summer sunshine superman superstar taylor tennis teresa test123 test1234
  tester testing testtest thomas thunder thx1138 tigers tigger trustno1 tweety vanessa victor victoria viking welcome
  welcome1 welcome123 whatever william winner winston winter wizard xbox360 xxxxxx yamaha yankee yankees yellow
  zaq12wsx zaq1zaq1 zxc123 zxcvbn zxcvbnm zzzzzz
`;

const commonPasswords: ReadonlySet<string> = new Set(commonest.trim().split(/\s+/));

/** Ignores case. */
export function isCommonPassword(password: string): boolean {
  return commonPasswords.has(password.toLowerCase());
}
